#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rondo::inline v0 {

namespace detail {

template <class T>
concept byte_like = std::is_same_v<T, std::byte> || std::is_same_v<T, char> || std::is_same_v<T, unsigned char> ||
                    std::is_same_v<T, signed char> || std::is_same_v<T, char8_t>;

}  // namespace detail

/// A read-only view of bytes: what every write takes.
///
/// Converts from a string, a string_view, a literal, and vectors, arrays (also those of C) and spans of any extent, of
/// std::byte, char, unsigned char, signed char or char8_t. A literal means its text, without the NUL at its end but
/// with those inside; a `char*` and an array of char that is not const mean the text up to the first NUL. Lifetime: a
/// view; what it shows must outlive the operation it is given to.
class bytes {
public:
    constexpr bytes() noexcept = default;
    constexpr bytes(const std::byte* data, std::size_t size) noexcept : data_(data), size_(size) {}
    constexpr bytes(std::span<const std::byte> s) noexcept : data_(s.data()), size_(s.size()) {}
    bytes(const void* data, std::size_t size) noexcept : data_(static_cast<const std::byte*>(data)), size_(size) {}
    bytes(std::string_view s) noexcept : bytes(static_cast<const void*>(s.data()), s.size()) {}
    bytes(const std::string& s) noexcept : bytes(std::string_view(s)) {}
    template <class P>  // a template, so that an array does not decay to it
        requires(std::is_same_v<P, const char*> || std::is_same_v<P, char*>)
    bytes(const P& s) noexcept : bytes(std::string_view(s)) {}
    template <std::size_t N>
    bytes(const char (&s)[N]) noexcept : bytes(static_cast<const void*>(s), s[N - 1] == '\0' ? N - 1 : N) {}
    template <std::size_t N>
    bytes(char (&s)[N]) noexcept : bytes(std::string_view(s, N).substr(0, std::string_view(s, N).find('\0'))) {}
    template <detail::byte_like T, std::size_t N>
        requires(!std::is_same_v<T, char>)
    bytes(const T (&a)[N]) noexcept : bytes(static_cast<const void*>(a), N) {}
    template <detail::byte_like T>
    bytes(const std::vector<T>& v) noexcept : bytes(static_cast<const void*>(v.data()), v.size()) {}
    template <class T, std::size_t N>
        requires detail::byte_like<std::remove_const_t<T>>
    bytes(const std::array<T, N>& a) noexcept : bytes(static_cast<const void*>(a.data()), N) {}
    template <class T, std::size_t N>
        requires detail::byte_like<std::remove_const_t<T>>
    bytes(std::span<T, N> s) noexcept : bytes(static_cast<const void*>(s.data()), s.size()) {}

    constexpr const std::byte* data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr const std::byte* begin() const noexcept { return data_; }
    constexpr const std::byte* end() const noexcept { return data_ + size_; }
    constexpr std::byte operator[](std::size_t i) const noexcept { return data_[i]; }

    constexpr bytes first(std::size_t n) const noexcept { return {data_, n < size_ ? n : size_}; }
    constexpr bytes drop(std::size_t n) const noexcept {
        const std::size_t k = n < size_ ? n : size_;
        return {data_ + k, size_ - k};
    }

    /// The same bytes as text.
    std::string_view text() const noexcept { return {reinterpret_cast<const char*>(data_), size_}; }
    constexpr operator std::span<const std::byte>() const noexcept { return {data_, size_}; }

private:
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// A writable view of bytes: what every read fills.
///
/// Converts from a string, and vectors, arrays (also those of C) and spans of any extent, of the types that `bytes`
/// takes; all of it is what may be filled. Lifetime: as `bytes`.
class mutable_bytes {
public:
    constexpr mutable_bytes() noexcept = default;
    constexpr mutable_bytes(std::byte* data, std::size_t size) noexcept : data_(data), size_(size) {}
    constexpr mutable_bytes(std::span<std::byte> s) noexcept : data_(s.data()), size_(s.size()) {}
    mutable_bytes(void* data, std::size_t size) noexcept : data_(static_cast<std::byte*>(data)), size_(size) {}
    mutable_bytes(std::string& s) noexcept : mutable_bytes(static_cast<void*>(s.data()), s.size()) {}
    template <detail::byte_like T>
    mutable_bytes(std::vector<T>& v) noexcept : mutable_bytes(static_cast<void*>(v.data()), v.size()) {}
    template <detail::byte_like T, std::size_t N>
    mutable_bytes(std::array<T, N>& a) noexcept : mutable_bytes(static_cast<void*>(a.data()), N) {}
    template <detail::byte_like T, std::size_t N>
    mutable_bytes(T (&a)[N]) noexcept : mutable_bytes(static_cast<void*>(a), N) {}
    template <detail::byte_like T, std::size_t N>
    mutable_bytes(std::span<T, N> s) noexcept : mutable_bytes(static_cast<void*>(s.data()), s.size()) {}

    constexpr std::byte* data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr std::byte* begin() const noexcept { return data_; }
    constexpr std::byte* end() const noexcept { return data_ + size_; }

    constexpr mutable_bytes first(std::size_t n) const noexcept { return {data_, n < size_ ? n : size_}; }
    constexpr mutable_bytes drop(std::size_t n) const noexcept {
        const std::size_t k = n < size_ ? n : size_;
        return {data_ + k, size_ - k};
    }
    constexpr operator bytes() const noexcept { return {data_, size_}; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace rondo::inline v0
