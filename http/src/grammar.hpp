// The character classes of RFC 9110 and RFC 9112, as one table, and the few text helpers built on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rondo::inline v0 {
namespace http {
namespace detail {

enum class chars : std::uint8_t {
    token = 1,    // tchar
    value = 2,    // HTAB, SP, VCHAR, obs-text: what a field value or a reason may hold
    target = 4,   // what a request target may hold, see below
    digit = 8,    // DIGIT
    hex = 16,     // HEXDIG, either case
    host = 32,    // reg-name without percent-encoding: unreserved, and sub-delims but the comma of lists
    quoted = 64,  // qdtext
};

// A request target takes visible ASCII but " < > \ and #. RFC 3986 allows less; browsers send the rest
// (| ^ ` { } [ ]) unescaped, and never these five.
constexpr std::array<std::uint8_t, 256> make_chars() {
    std::array<std::uint8_t, 256> t{};
    const auto in = [](std::string_view set, std::size_t c) {
        return set.find(static_cast<char>(c)) != std::string_view::npos;
    };
    for (std::size_t c = 0; c < 256; ++c) {
        const bool digit = c >= '0' && c <= '9';
        const bool alpha = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool visible = c > 0x20 && c < 0x7f;
        unsigned bits = 0;
        if (digit || alpha || (visible && in("!#$%&'*+-.^_`|~", c))) bits |= 1;
        if (visible || c == ' ' || c == '\t' || c >= 0x80) bits |= 2;
        if (visible && !in("\"<>\\#", c)) bits |= 4;
        if (digit) bits |= 8;
        if (digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) bits |= 16;
        if (digit || alpha || (visible && in("-._~!$&'()*+;=", c))) bits |= 32;
        if ((visible && c != '"' && c != '\\') || c == ' ' || c == '\t' || c >= 0x80) bits |= 64;
        t[c] = static_cast<std::uint8_t>(bits);
    }
    return t;
}
inline constexpr std::array<std::uint8_t, 256> char_table = make_chars();

constexpr bool is(chars set, char c) noexcept {
    return (char_table[static_cast<unsigned char>(c)] & static_cast<std::uint8_t>(set)) != 0;
}

/// The first position in [p, end) whose byte is not in the set.
constexpr const char* skip(chars set, const char* p, const char* end) noexcept {
    while (p != end && is(set, *p)) ++p;
    return p;
}

constexpr bool all(chars set, std::string_view s) noexcept {
    return skip(set, s.data(), s.data() + s.size()) == s.data() + s.size();
}

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

/// Equal but for the case of ASCII letters.
constexpr bool same(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (lower(a[i]) != lower(b[i])) return false;
    return true;
}

constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

/// Without the optional white space around it.
constexpr std::string_view trim(std::string_view s) noexcept {
    while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
    while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
    return s;
}

/// Takes the next member off a comma-separated list, trimmed; `rest` becomes what follows the comma. A list
/// has one member more than commas, and members may be empty. Not for lists with quoted strings.
constexpr std::string_view next_member(std::string_view& rest, bool& more) noexcept {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    const std::string_view member = trim(rest.substr(0, comma));
    rest = more ? rest.substr(comma + 1) : std::string_view();
    return member;
}

constexpr unsigned hex_value(char c) noexcept {
    return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
