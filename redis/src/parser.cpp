#include <rondo/redis/parser.hpp>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <utility>

#include <rondo/redis/error.hpp>

namespace rondo::inline v0 {
namespace redis {

namespace {

// Longest header or number line. Lengths, counts and integers have at most 20 characters; a server may print a long
// double without exponent, which takes up to 5 KiB.
constexpr std::size_t number_line = 32;
constexpr std::size_t double_line = 5 * 1024;

// Aggregates reserve no more than this from a header: enough for most replies, harmless when the header lies.
constexpr std::size_t reserve_at_most = 16;

bool all_digits(std::string_view s) noexcept {
    return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_sign(std::string_view s) noexcept {
    return !s.empty() && (s.front() == '+' || s.front() == '-') ? s.substr(1) : s;
}

bool parse_integer(std::string_view s, std::int64_t& out) noexcept {
    if (!all_digits(without_sign(s))) return false;
    if (s.front() == '+') s.remove_prefix(1);
    const auto r = std::from_chars(s.data(), s.data() + s.size(), out);
    return r.ec == std::errc() && r.ptr == s.data() + s.size();
}

// [sign] digits [. digits] [e [sign] digits], and nothing that from_chars would take beyond it.
bool is_decimal(std::string_view s) noexcept {
    s = without_sign(s);
    const std::size_t exponent = s.find_first_of("eE");
    if (exponent != s.npos && !all_digits(without_sign(s.substr(exponent + 1)))) return false;
    s = s.substr(0, exponent);
    const std::size_t point = s.find('.');
    if (point != s.npos && !all_digits(s.substr(point + 1))) return false;
    return all_digits(s.substr(0, point));
}

bool parse_real(std::string_view s, double& out) noexcept {
    constexpr double inf = std::numeric_limits<double>::infinity();
    if (s == "inf") return out = inf, true;
    if (s == "-inf") return out = -inf, true;
    // Servers before 7.2 print whatever the C library makes of a NaN.
    if (s == "nan" || s == "-nan" || s == "NAN" || s == "-NAN" || (s.starts_with("nan(") && s.ends_with(")")))
        return out = std::numeric_limits<double>::quiet_NaN(), true;
    if (!is_decimal(s)) return false;
    if (s.front() == '+') s.remove_prefix(1);
    const auto r = std::from_chars(s.data(), s.data() + s.size(), out);
    return r.ec == std::errc() && r.ptr == s.data() + s.size();
}

kind aggregate_kind(char type) noexcept {
    switch (type) {
        case '%': return kind::map;
        case '~': return kind::set;
        case '>': return kind::push;
        case '|': return kind::attribute;
        default: return kind::array;
    }
}

}  // namespace

bool parser::at_boundary() const noexcept {
    return state_ == state::type && frames_.empty() && !streaming_ && !annotated_;
}

void parser::feed(bytes data) noexcept {
    assert(in_.empty());
    if (state_ != state::failed) in_ = data;
}

bool parser::finish() {
    if (state_ == state::failed) return false;
    if (in_.empty() && at_boundary()) return true;
    item_start_ = offset_;
    fail(errc::protocol, annotated_ && frames_.empty() && state_ == state::type
                             ? "the stream ended between an attribute and its value"
                             : "the stream ended inside a value");
    return false;
}

parser::event parser::next(value& out) {
    while (!in_.empty()) {
        step s = step::more;
        switch (state_) {
            case state::type: s = on_type(); break;
            case state::line: s = on_line(); break;
            case state::line_end: s = on_line_end(); break;
            case state::payload: s = on_payload(); break;
            case state::payload_cr: s = on_payload_end('\r', state::payload_lf); break;
            case state::payload_lf: s = on_payload_end('\n', state::type); break;
            case state::failed: break;
        }
        if (s == step::more) break;
        if (s == step::out) {
            out = std::move(out_);
            return out_event_;
        }
    }
    return state_ == state::failed ? event::failed : event::need_more;
}

char parser::take() noexcept {
    const char c = static_cast<char>(in_[0]);
    in_ = in_.drop(1);
    ++offset_;
    return c;
}

parser::step parser::on_type() {
    item_start_ = offset_;
    if (frames_.empty() && !streaming_) {
        reply_start_ = offset_;
        elements_ = 0;
    } else if (used() > limits_.reply_bytes()) {
        return fail(errc::limit_exceeded, "more than " + std::to_string(limits_.reply_bytes()) + " bytes in a value");
    }
    const char c = take();
    constexpr std::string_view types = "+-:$*_,#(!=%~>|";
    const bool inside_streamed = !frames_.empty() && frames_.back().streamed;
    const bool expected = streaming_ ? c == ';' : types.find(c) != types.npos || (c == '.' && inside_streamed);
    if (!expected) return fail_type(c);
    type_ = c;
    line_.clear();
    state_ = state::line;
    return step::again;
}

parser::step parser::on_line() {
    std::size_t room = number_line - line_.size();
    if (type_ == ',') room = double_line - line_.size();
    if (type_ == '+' || type_ == '-' || type_ == '(')
        room = used() < limits_.reply_bytes() ? limits_.reply_bytes() - static_cast<std::size_t>(used()) : 0;

    const std::string_view all = in_.text();
    const std::size_t window = std::min(all.size(), room + 1);
    std::size_t n = 0;
    while (n < window && all[n] != '\r' && all[n] != '\n') ++n;
    const std::string_view piece = all.substr(0, n);

    if (n == window) {
        if (n > room) return fail(errc::limit_exceeded, std::string("line of '") + type_ + "' is too long");
        line_ += piece;
        in_ = in_.drop(n);
        offset_ += n;
        return step::more;
    }
    if (all[n] == '\n') {
        item_start_ = offset_ + n;
        return fail(errc::protocol, "LF without CR");
    }
    if (n + 1 < all.size() && line_.empty()) {  // the common case: the whole line is here, no copy
        if (all[n + 1] != '\n') {
            item_start_ = offset_ + n + 1;
            return fail(errc::protocol, "CR without LF");
        }
        in_ = in_.drop(n + 2);
        offset_ += n + 2;
        return take_line(piece);
    }
    line_ += piece;
    in_ = in_.drop(n + 1);
    offset_ += n + 1;
    state_ = state::line_end;
    return step::again;
}

parser::step parser::on_line_end() {
    const std::uint64_t at = offset_;
    if (take() == '\n') return take_line(line_);
    item_start_ = at;
    return fail(errc::protocol, "CR without LF");
}

parser::step parser::take_line(std::string_view line) {
    switch (type_) {
        case '+': return complete(value::simple(std::string(line)));
        case '-': return complete(value::error(std::string(line)));
        case ':': {
            std::int64_t i = 0;
            if (!parse_integer(line, i)) return fail_line(line, "is not a 64-bit integer");
            return complete(value::integer(i));
        }
        case ',': {
            double d = 0;
            if (!parse_real(line, d)) return fail_line(line, "is not a double");
            return complete(value::real(d));
        }
        case '(':
            if (!all_digits(without_sign(line))) return fail_line(line, "is not a number");
            return complete(value::big_number(std::string(line)));
        case '#':
            if (line != "t" && line != "f") return fail_line(line, "is neither t nor f");
            return complete(value::boolean(line == "t"));
        case '_':
            if (!line.empty()) return fail_line(line, "follows a null");
            return complete(value());
        case '.':
            if (!line.empty()) return fail_line(line, "follows the end mark");
            return close_streamed();
        default: return take_length(line);
    }
}

parser::step parser::take_length(std::string_view line) {
    const bool text = type_ == '$' || type_ == '=' || type_ == '!' || type_ == ';';
    if (line == "-1" && (type_ == '$' || type_ == '*')) return complete(value());
    if (line == "?" && type_ == '$') {
        streaming_ = true;
        text_.clear();
        state_ = state::type;
        return step::again;
    }
    if (line == "?" && (type_ == '*' || type_ == '%' || type_ == '~')) return open_aggregate(0, true);
    if (!all_digits(line) || (line.size() > 1 && line.front() == '0'))
        return fail_line(line, text ? "is not a length" : "is not a count");
    std::uint64_t n = 0;
    const auto r = std::from_chars(line.data(), line.data() + line.size(), n);
    if (r.ec != std::errc())  // beyond 64 bits is beyond every limit
        return fail(errc::limit_exceeded, (text ? "a string of " : "an aggregate of ") +
                                              std::string(line.substr(0, 32)) + (line.size() > 32 ? "…" : "") +
                                              (text ? " bytes" : " elements"));
    return text ? open_string(n) : open_aggregate(n, false);
}

parser::step parser::open_string(std::uint64_t length) {
    const std::uint64_t left = used() < limits_.reply_bytes() ? limits_.reply_bytes() - used() : 0;
    if (length > left)
        return fail(errc::limit_exceeded,
                    "a string of " + std::to_string(length) + " bytes where the limit leaves " + std::to_string(left));
    if (type_ == '=' && length < format_.size()) return fail_line(std::to_string(length), "is too short for a format");
    if (type_ == ';') {
        if (length == 0) {
            streaming_ = false;
            return complete(value::string(std::exchange(text_, {})));
        }
    } else {
        text_.clear();
    }
    format_size_ = 0;
    payload_left_ = length;
    state_ = length == 0 ? state::payload_cr : state::payload;
    return step::again;
}

parser::step parser::on_payload() {
    while (type_ == '=' && format_size_ < format_.size()) {
        if (in_.empty()) return step::more;
        format_[format_size_++] = take();
        if (--payload_left_ == 0) state_ = state::payload_cr;
    }
    if (type_ == '=' && format_[3] != ':') {
        return fail(errc::protocol, "verbatim text without a format: " + quoted({format_.data(), format_.size()}));
    }
    if (payload_left_ == 0) return step::again;

    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(in_.size(), payload_left_));
    if (text_.capacity() < text_.size() + n) {
        // Doubling keeps appends linear; the header only ever lowers what is asked for.
        const std::size_t whole = text_.size() + static_cast<std::size_t>(payload_left_);
        text_.reserve(std::min(whole, std::max(text_.size() + n, 2 * text_.capacity())));
    }
    text_.append(in_.text().substr(0, n));
    in_ = in_.drop(n);
    offset_ += n;
    payload_left_ -= n;
    if (payload_left_ != 0) return step::more;
    state_ = state::payload_cr;
    return step::again;
}

parser::step parser::on_payload_end(char expected, state next) {
    const std::uint64_t at = offset_;
    const char c = take();
    if (c != expected) {
        item_start_ = at;
        return fail(errc::protocol, "a string longer than its length, or not followed by CRLF: " + quoted({&c, 1}));
    }
    state_ = next;
    return next == state::type ? finish_payload() : step::again;
}

parser::step parser::finish_payload() {
    if (type_ == ';') return step::again;
    std::string text = std::exchange(text_, {});
    if (type_ == '!') return complete(value::error(std::move(text)));
    if (type_ == '=') return complete(value::verbatim({format_[0], format_[1], format_[2]}, std::move(text)));
    return complete(value::string(std::move(text)));
}

parser::step parser::open_aggregate(std::uint64_t count, bool streamed) {
    const redis::kind k = aggregate_kind(type_);
    if (frames_.size() >= limits_.depth())
        return fail(errc::limit_exceeded, "nested deeper than " + std::to_string(limits_.depth()));
    if (type_ == '>' && count == 0) return fail(errc::protocol, "a push without a kind");
    const std::uint64_t each = type_ == '%' || type_ == '|' ? 2 : 1;
    if (count > (limits_.elements() - elements_) / each)
        return fail(errc::limit_exceeded, std::string("'") + type_ + "' announces more than the limit of " +
                                              std::to_string(limits_.elements()) + " elements");
    const std::size_t n = static_cast<std::size_t>(count * each);
    elements_ += n;
    state_ = state::type;
    if (n == 0 && !streamed) {
        if (k != redis::kind::attribute) return complete(value::aggregate(k, {}));
        annotated() = true;
        out_ = value::aggregate(k, {});
        out_event_ = event::attribute;
        return step::out;
    }
    frame f{k, streamed, false, n, {}};
    f.items.reserve(std::min(n, reserve_at_most));
    frames_.push_back(std::move(f));
    return step::again;
}

parser::step parser::close_streamed() {
    frame& f = frames_.back();
    if (f.annotated) return fail(errc::protocol, "an attribute without its value");
    if (f.kind == redis::kind::map && f.items.size() % 2 != 0)
        return fail(errc::protocol, "a map with a key but no value");
    value v = value::aggregate(f.kind, std::move(f.items));
    frames_.pop_back();
    return complete(std::move(v));
}

parser::step parser::complete(value v) {
    state_ = state::type;
    while (!frames_.empty()) {
        frame& f = frames_.back();
        const bool names_push = v.kind() == redis::kind::string || v.kind() == redis::kind::simple;
        if (f.kind == redis::kind::push && f.items.empty() && !names_push)
            return fail(errc::protocol, "a push whose kind is no string but " + to_string(v, 40));
        if (f.streamed && ++elements_ > limits_.elements())
            return fail(errc::limit_exceeded,
                        "more than " + std::to_string(limits_.elements()) + " elements in a value");
        f.annotated = false;
        f.items.push_back(std::move(v));
        if (f.streamed || --f.left != 0) return step::again;

        const redis::kind k = f.kind;
        v = value::aggregate(k, std::move(f.items));
        frames_.pop_back();
        if (k == redis::kind::push || k == redis::kind::attribute) {
            annotated() = k == redis::kind::attribute;
            out_ = std::move(v);
            out_event_ = k == redis::kind::push ? event::push : event::attribute;
            return step::out;
        }
    }
    annotated_ = false;
    out_ = std::move(v);
    out_event_ = event::reply;
    return step::out;
}

parser::step parser::fail(redis::errc code, const std::string& what) {
    error_ = fault(make_error_code(code), "redis reply");
    error_.detail("byte " + std::to_string(item_start_) + ": " + what);
    state_ = state::failed;
    in_ = {};
    frames_.clear();
    text_ = {};
    line_ = {};
    return step::more;
}

parser::step parser::fail_line(std::string_view line, std::string_view what) {
    std::string text = std::string("'") + type_ + "' " + quoted(line, 40) + " ";
    return fail(errc::protocol, text += what);
}

parser::step parser::fail_type(char c) {
    std::string text =
        "unexpected " + quoted({&c, 1}) + (streaming_ ? " inside a streamed string" : " where a value starts");
    if (frames_.empty() && !streaming_) {
        if (c == 'H') text += "; is this an HTTP server?";
        if (c == '\x15' || c == '\x16') text += "; is this a TLS port?";
    }
    return fail(errc::protocol, text);
}

}  // namespace redis
}  // namespace rondo::inline v0
