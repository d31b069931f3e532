// Builds the bytes of one command.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include <rondo/bytes.hpp>
#include <rondo/export.hpp>

namespace rondo::inline v0 {
namespace redis {

/// The encoded form of a command: `*N`, then N length-prefixed arguments, binary-safe.
///
/// Short commands live inside the object (no allocation), long ones on the heap. Thread safety: a value.
class RONDO_API encoder {
public:
    /// Starts a command of one word, which `arguments` arguments will follow.
    explicit encoder(std::string_view name, std::size_t arguments);
    encoder(const encoder& other);
    encoder(encoder&& other) noexcept;
    encoder& operator=(encoder other) noexcept;
    ~encoder() = default;

    encoder& add(std::string_view argument);
    encoder& add(std::int64_t argument);
    encoder& add(std::uint64_t argument);
    /// The shortest text that reads back as the same double; `inf`, `-inf`, `nan` for the others.
    encoder& add(double argument);
    encoder& add(float argument);

    /// Lifetime: until the object is changed, moved or destroyed.
    bytes encoded() const noexcept { return {data(), size_}; }
    /// The command's name, read back from the bytes. Lifetime: as encoded().
    std::string_view name() const noexcept;

private:
    static constexpr std::size_t inside = 96;

    const char* data() const noexcept { return heap_ ? heap_.get() : inline_.data(); }
    char* grow(std::size_t more);
    void put(std::string_view text);
    template <class N>
    encoder& add_number(N n);
    void put_header(char type, std::size_t n);

    std::size_t size_ = 0;
    std::size_t capacity_ = inside;
    std::unique_ptr<char[]> heap_;
    std::array<char, inside> inline_;
};

/// An argument type of the user's or the library's own: says how many arguments it makes and adds them.
template <class A>
concept custom_argument = requires(const A& a, encoder& e) {
    { a.argument_count() } -> std::convertible_to<std::size_t>;
    a.encode(e);
};

namespace detail {

template <class A>
concept text_argument = std::convertible_to<const A&, std::string_view>;
template <class A>
concept byte_argument = !text_argument<A> && std::convertible_to<const A&, bytes>;
// bool and the character types are left out: what a server should see for them is anybody's guess.
template <class A>
concept integer_argument =
    std::integral<A> && !std::same_as<A, bool> && !std::same_as<A, char> && !std::same_as<A, wchar_t> &&
    !std::same_as<A, char8_t> && !std::same_as<A, char16_t> && !std::same_as<A, char32_t>;
template <class A>
concept single_argument = text_argument<A> || byte_argument<A> || integer_argument<A> || std::floating_point<A>;

template <class A>
std::size_t count_argument(const A& a) {
    if constexpr (custom_argument<A>) return a.argument_count();
    else if constexpr (single_argument<A>) return 1;
    else return std::size(a);
}

template <class A>
void add_argument(encoder& e, const A& a) {
    if constexpr (custom_argument<A>) {
        a.encode(e);
    } else if constexpr (text_argument<A>) {
        e.add(std::string_view(a));
    } else if constexpr (byte_argument<A>) {
        e.add(bytes(a).text());
    } else if constexpr (integer_argument<A>) {
        if constexpr (std::is_signed_v<A>) e.add(static_cast<std::int64_t>(a));
        else e.add(static_cast<std::uint64_t>(a));
    } else if constexpr (std::same_as<A, float>) {
        e.add(a);
    } else if constexpr (std::floating_point<A>) {
        e.add(static_cast<double>(a));
    } else {
        for (const auto& one : a) add_argument(e, one);
    }
}

}  // namespace detail

/// What a command takes as an argument: strings, bytes, integers (not bool, not characters), floating-point numbers,
/// sized ranges of those (each element one argument), and classes with `argument_count()` and `encode(encoder&)`.
template <class A>
concept argument = custom_argument<A> || detail::single_argument<A> || requires(const A& a) {
    { std::size(a) } -> std::convertible_to<std::size_t>;
    requires detail::single_argument<std::remove_cvref_t<decltype(*std::begin(a))>>;
};

}  // namespace redis
}  // namespace rondo::inline v0
