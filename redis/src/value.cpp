#include <rondo/redis/value.hpp>

#include <charconv>
#include <cmath>

#include <rondo/redis/error.hpp>

namespace rondo::inline v0 {
namespace redis {

std::string_view to_string(kind k) noexcept {
    switch (k) {
        case kind::null: return "null";
        case kind::string: return "string";
        case kind::simple: return "status";
        case kind::verbatim: return "verbatim text";
        case kind::integer: return "integer";
        case kind::real: return "double";
        case kind::boolean: return "boolean";
        case kind::big_number: return "big number";
        case kind::error: return "error";
        case kind::array: return "array";
        case kind::map: return "map";
        case kind::set: return "set";
        case kind::push: return "push";
        case kind::attribute: return "attribute";
    }
    return "unknown";
}

value value::verbatim(std::array<char, 3> format, std::string s) {
    value v(redis::kind::verbatim, std::move(s));
    v.format_ = format;
    return v;
}

std::string_view value::text() const noexcept {
    const auto* s = std::get_if<std::string>(&data_);
    return s != nullptr ? std::string_view(*s) : std::string_view();
}

std::string value::take_text() && {
    auto* s = std::get_if<std::string>(&data_);
    return s != nullptr ? std::move(*s) : std::string();
}

std::string_view value::format() const noexcept {
    return kind_ == redis::kind::verbatim ? std::string_view(format_.data(), format_.size()) : std::string_view();
}

std::string_view value::error_code() const noexcept {
    return is_error() ? detail::first_word(text()) : std::string_view();
}

std::int64_t value::integer() const noexcept {
    const auto* i = std::get_if<std::int64_t>(&data_);
    return i != nullptr ? *i : 0;
}

double value::real() const noexcept {
    const auto* d = std::get_if<double>(&data_);
    return d != nullptr ? *d : 0;
}

bool value::boolean() const noexcept {
    const auto* b = std::get_if<bool>(&data_);
    return b != nullptr && *b;
}

std::span<const value> value::items() const noexcept {
    const auto* items = std::get_if<std::vector<value>>(&data_);
    return items != nullptr ? std::span<const value>(*items) : std::span<const value>();
}

std::vector<value> value::take_items() && {
    auto* items = std::get_if<std::vector<value>>(&data_);
    return items != nullptr ? std::move(*items) : std::vector<value>();
}

namespace {

void append_escaped(std::string& out, std::string_view text) {
    constexpr char hex[] = "0123456789abcdef";
    for (const char c : text) {
        const auto u = static_cast<unsigned char>(c);
        if (c == '\r') out += "\\r";
        else if (c == '\n') out += "\\n";
        else if (c == '\t') out += "\\t";
        else if (c == '"' || c == '\\') (out += '\\') += c;
        else if (u >= 0x20 && u < 0x7f) out += c;
        else ((out += "\\x") += hex[u >> 4]) += hex[u & 15];
    }
}

void append_real(std::string& out, double d) {
    if (std::isnan(d)) {
        out += "nan";
        return;
    }
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, d);
    out.append(buffer, end.ptr);
}

void append(std::string& out, const value& v, std::size_t limit);

void append_items(std::string& out, const value& v, std::size_t limit, std::string_view open, char close, bool pairs) {
    out += open;
    std::size_t i = 0;
    for (const value& item : v.items()) {
        if (i != 0) out += pairs && i % 2 == 1 ? ": " : ", ";
        if (out.size() >= limit) {
            out += "...";
            break;
        }
        append(out, item, limit);
        ++i;
    }
    out += close;
}

void append_text(std::string& out, std::string_view text, std::size_t limit) {
    const std::size_t room = limit > out.size() ? limit - out.size() : 0;
    append_escaped(out, text.substr(0, room));
    if (text.size() > room) out += "...";
}

void append(std::string& out, const value& v, std::size_t limit) {
    switch (v.kind()) {
        case kind::null: out += "null"; return;
        case kind::string: out += '"', append_text(out, v.text(), limit), out += '"'; return;
        case kind::simple: out += '+', append_text(out, v.text(), limit); return;
        case kind::verbatim:
            append_escaped(out, v.format());
            out += ":\"", append_text(out, v.text(), limit), out += '"';
            return;
        case kind::integer: out += std::to_string(v.integer()); return;
        case kind::real: append_real(out, v.real()); return;
        case kind::boolean: out += v.boolean() ? "true" : "false"; return;
        case kind::big_number: out += '(', append_text(out, v.text(), limit); return;
        case kind::error: out += '-', append_text(out, v.text(), limit); return;
        case kind::array: append_items(out, v, limit, "[", ']', false); return;
        case kind::map: append_items(out, v, limit, "{", '}', true); return;
        case kind::set: append_items(out, v, limit, "~[", ']', false); return;
        case kind::push: append_items(out, v, limit, ">[", ']', false); return;
        case kind::attribute: append_items(out, v, limit, "|{", '}', true); return;
    }
}

}  // namespace

std::string to_string(const value& v) { return to_string(v, static_cast<std::size_t>(-1)); }

std::string to_string(const value& v, std::size_t limit) {
    std::string out;
    append(out, v, limit);
    return out;
}

std::string quoted(std::string_view text, std::size_t limit) {
    std::string out = "\"";
    append_escaped(out, text.substr(0, limit));
    if (text.size() > limit) out += "...";
    return out += '"';
}

}  // namespace redis
}  // namespace rondo::inline v0
