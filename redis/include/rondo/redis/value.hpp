// One RESP value, as a tree that owns its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <rondo/export.hpp>

namespace rondo::inline v0 {
namespace redis {

/// The types of RESP2 and RESP3 as a client sees them.
enum class kind : unsigned char {
    null,        ///< `_`, and RESP2's `$-1` and `*-1`
    string,      ///< `$`, a streamed `$?` included
    simple,      ///< `+`, a status line
    verbatim,    ///< `=`, text with a three-letter format
    integer,     ///< `:`
    real,        ///< `,`
    boolean,     ///< `#`
    big_number,  ///< `(`, kept as text
    error,       ///< `-` and `!`
    array,       ///< `*`
    map,         ///< `%`, in the order the server sent it, duplicates kept
    set,         ///< `~`, likewise
    push,        ///< `>`, out of band: never the answer to a command
    attribute,   ///< `|`, out of band: describes the value that follows it
};
RONDO_API std::string_view to_string(kind k) noexcept;

/// A reply of any type: a leaf, or a tree of values.
///
/// Maps and attributes hold their pairs flat: key, value, key, value. Accessors of another kind than the value's
/// give an empty or zero result, so a reader asks `kind()` first.
/// Lifetime: owns everything; views end with the value. Thread safety: a value.
class RONDO_API value {
public:
    /// Null.
    value() noexcept = default;

    static value string(std::string s) { return {redis::kind::string, std::move(s)}; }
    static value simple(std::string s) { return {redis::kind::simple, std::move(s)}; }
    static value verbatim(std::array<char, 3> format, std::string s);
    static value integer(std::int64_t i) { return {redis::kind::integer, i}; }
    static value real(double d) { return {redis::kind::real, d}; }
    static value boolean(bool b) { return {redis::kind::boolean, b}; }
    static value big_number(std::string digits) { return {redis::kind::big_number, std::move(digits)}; }
    static value error(std::string text) { return {redis::kind::error, std::move(text)}; }
    /// array, map, set, push or attribute; a map's or attribute's pairs are flat in `items`.
    static value aggregate(redis::kind k, std::vector<value> items) { return {k, std::move(items)}; }

    redis::kind kind() const noexcept { return kind_; }
    bool is_null() const noexcept { return kind_ == redis::kind::null; }
    bool is_error() const noexcept { return kind_ == redis::kind::error; }
    /// A string, status line or verbatim text.
    bool is_text() const noexcept {
        return kind_ == redis::kind::string || kind_ == redis::kind::simple || kind_ == redis::kind::verbatim;
    }

    /// The bytes of a string, status line, verbatim text, big number or error.
    std::string_view text() const noexcept;
    std::string take_text() &&;
    /// The three letters of a verbatim text, such as `txt` or `mkd`.
    std::string_view format() const noexcept;
    /// The first word of an error, such as `WRONGTYPE`; the whole line when it has no space.
    std::string_view error_code() const noexcept;
    std::int64_t integer() const noexcept;
    double real() const noexcept;
    bool boolean() const noexcept;

    /// The elements of an aggregate; for a map or attribute keys and values in turn.
    std::span<const value> items() const noexcept;
    std::vector<value> take_items() &&;

    /// Same kind and same content; a map or set also in the same order.
    friend bool operator==(const value& a, const value& b) noexcept {
        return a.kind_ == b.kind_ && a.format_ == b.format_ && a.data_ == b.data_;
    }

private:
    using storage = std::variant<std::monostate, std::string, std::int64_t, double, bool, std::vector<value>>;

    template <class T>
    value(redis::kind k, T data) : data_(std::move(data)), kind_(k) {}

    storage data_;
    redis::kind kind_ = redis::kind::null;
    std::array<char, 3> format_{};
};

/// A readable form for logs and tests: `[1, "a\r\n", null, {"k": 2}]`, `+OK`, `-ERR text`, `>["message", …]`.
RONDO_API std::string to_string(const value& v);

/// The same, cut to about `limit` characters, for error texts.
RONDO_API std::string to_string(const value& v, std::size_t limit);

/// Text in double quotes with everything unprintable as `\r`, `\n`, `\xNN`; cut to `limit` bytes of input.
RONDO_API std::string quoted(std::string_view text, std::size_t limit = static_cast<std::size_t>(-1));

}  // namespace redis
}  // namespace rondo::inline v0
