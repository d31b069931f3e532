#include <rondo/bytes.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

using rondo::bytes;
using rondo::mutable_bytes;
using namespace std::string_literals;

namespace {

/// As a write takes it: by an implicit conversion.
std::string taken(bytes b) { return std::string(b.text()); }

/// As a read fills it.
std::size_t fill(mutable_bytes b) {
    for (std::byte& x : b) x = std::byte{'f'};
    return b.size();
}

template <class T>
void takes_collections_of() {
    std::vector<T> vector{T{'a'}, T{}, T{'c'}};
    CHECK(taken(vector) == "a\0c"s);
    std::array<T, 3> array{T{'a'}, T{}, T{'c'}};
    CHECK(taken(array) == "a\0c"s);
    CHECK(taken(std::span<T>(vector)) == "a\0c"s);
    CHECK(taken(std::span<const T>(vector)) == "a\0c"s);
    CHECK(taken(std::span<T, 2>(array.data(), 2)) == "a\0"s);
    CHECK(taken(std::span<const T, 2>(array.data(), 2)) == "a\0"s);
    CHECK(fill(vector) == 3);
    CHECK(fill(array) == 3);
    CHECK(fill(std::span<T>(vector).first(2)) == 2);
    CHECK(fill(std::span<T, 2>(array.data(), 2)) == 2);
    T raw[4] = {};
    CHECK(fill(raw) == 4);
    CHECK(taken(vector) == "fff");
    CHECK(taken(array) == "fff");
    CHECK(taken(std::span<T, 4>(raw)) == "ffff");
    static_assert(!std::is_constructible_v<mutable_bytes, const std::vector<T>&>);
    static_assert(!std::is_constructible_v<mutable_bytes, std::span<const T>>);
    static_assert(!std::is_constructible_v<mutable_bytes, const T(&)[4]>);
}

}  // namespace

TEST_CASE("bytes are taken from texts") {
    CHECK(taken("a\0b"s) == "a\0b"s);
    CHECK(taken(std::string_view("text")) == "text");
    const char* const pointer = "up to the NUL\0and not beyond";
    CHECK(taken(pointer) == "up to the NUL");
    std::string filled = "12345";
    CHECK(fill(filled) == 5);
    CHECK(filled == "fffff");
}

TEST_CASE("a literal means its text without the NUL at its end, an array of char the text up to its first") {
    CHECK(taken("literal") == "literal");
    CHECK(taken("") == "");
    CHECK(taken("in\0side") == "in\0side"s);
    static const char unterminated[3] = {'a', 'b', 'c'};
    CHECK(taken(unterminated) == "abc");
    char buffer[16] = "formatted";
    CHECK(taken(buffer) == "formatted");
    CHECK(fill(buffer) == 16);
    CHECK(taken(buffer) == std::string(16, 'f'));
}

TEST_CASE("bytes are taken from vectors, arrays and spans of everything that is a byte, and of nothing else") {
    takes_collections_of<std::byte>();
    takes_collections_of<char>();
    takes_collections_of<unsigned char>();
    takes_collections_of<signed char>();
    takes_collections_of<char8_t>();
    const unsigned char raw[3] = {'a', 0, 'c'};
    CHECK(taken(raw) == "a\0c"s);
    static_assert(!std::is_constructible_v<bytes, std::vector<int>&>);
    static_assert(!std::is_constructible_v<bytes, std::span<bool>>);
    static_assert(!std::is_constructible_v<bytes, const int(&)[3]>);
    static_assert(!std::is_constructible_v<bytes, const wchar_t*>);
}

TEST_CASE("a mutable view is a read-only one, and both are cut") {
    std::string text = "abcdef";
    const mutable_bytes m(text);
    CHECK(taken(m) == "abcdef");
    CHECK(taken(m.drop(2).first(3)) == "cde");
    CHECK(taken(m.drop(9)) == "");
    CHECK(taken(bytes(text).first(9).drop(4)) == "ef");
}
