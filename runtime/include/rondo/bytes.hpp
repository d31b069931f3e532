#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::inline v0 {

/// A read-only view of bytes: what every write takes.
///
/// Converts from a string, a string_view, a literal, and vectors, arrays and spans of std::byte, char or
/// unsigned char. Lifetime: a view; what it shows must outlive the operation it is given to.
class bytes {
public:
    constexpr bytes() noexcept = default;
    constexpr bytes(const std::byte* data, std::size_t size) noexcept : data_(data), size_(size) {}
    constexpr bytes(std::span<const std::byte> s) noexcept : data_(s.data()), size_(s.size()) {}
    bytes(const void* data, std::size_t size) noexcept : data_(static_cast<const std::byte*>(data)), size_(size) {}
    bytes(std::string_view s) noexcept : bytes(static_cast<const void*>(s.data()), s.size()) {}
    bytes(const std::string& s) noexcept : bytes(std::string_view(s)) {}
    bytes(const char* s) noexcept : bytes(std::string_view(s)) {}
    template <class T>
        requires(sizeof(T) == 1)
    bytes(const std::vector<T>& v) noexcept : bytes(static_cast<const void*>(v.data()), v.size()) {}
    template <class T, std::size_t N>
        requires(sizeof(T) == 1)
    bytes(const std::array<T, N>& a) noexcept : bytes(static_cast<const void*>(a.data()), N) {}

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

/// A writable view of bytes: what every read fills. Lifetime: as `bytes`.
class mutable_bytes {
public:
    constexpr mutable_bytes() noexcept = default;
    constexpr mutable_bytes(std::byte* data, std::size_t size) noexcept : data_(data), size_(size) {}
    constexpr mutable_bytes(std::span<std::byte> s) noexcept : data_(s.data()), size_(s.size()) {}
    mutable_bytes(void* data, std::size_t size) noexcept : data_(static_cast<std::byte*>(data)), size_(size) {}
    mutable_bytes(std::string& s) noexcept : mutable_bytes(static_cast<void*>(s.data()), s.size()) {}
    template <class T>
        requires(sizeof(T) == 1)
    mutable_bytes(std::vector<T>& v) noexcept : mutable_bytes(static_cast<void*>(v.data()), v.size()) {}
    template <class T, std::size_t N>
        requires(sizeof(T) == 1)
    mutable_bytes(std::array<T, N>& a) noexcept : mutable_bytes(static_cast<void*>(a.data()), N) {}

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
