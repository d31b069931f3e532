#include <rondo/http/request_parser.hpp>

#include <algorithm>

#include "grammar.hpp"
#include "head_fields.hpp"

namespace rondo::inline v0 {
namespace http {

namespace {

using detail::chars;

// A token longer than any method is an unknown method (RFC 9112 section 3), without waiting for its end.
constexpr std::size_t max_method = 24;

}  // namespace

request_parser::request_parser(const limits& l) : limits_(l) {}

void request_parser::reset() {
    state_ = state::start;
    error_ = errc::none;
    started_ = skipped_ = keep_alive_ = expects_continue_ = false;
    version_ = http::version::http_1_1;
    framing_ = {};
    line_size_ = 0;
    method_.clear();
    version_text_.clear();
    target_host_.clear();
    default_port_.clear();
    request_.method_ = method::get;
    request_.target_.clear();
    request_.headers_.clear();
    request_.trailers_.clear();
    if (request_.body_.capacity() > 4096) request_.body_ = std::string();
    request_.body_.clear();
    request_.params_.clear();
}

const char* request_parser::fail(errc e, const char* p) noexcept {
    state_ = state::failed;
    error_ = e;
    keep_alive_ = false;
    return p;
}

std::size_t request_parser::feed(bytes in) {
    const char* const begin = in.text().data();
    const char* const end = begin + in.size();
    const char* p = begin;
    while (p != end && state_ < state::fields) {
        const std::size_t room = limits_.start_line() - line_size_;
        const char* const stop = in.size() > room + static_cast<std::size_t>(p - begin) ? p + room : end;
        if (p == stop) {
            fail(errc::target_too_long, p);
            break;
        }
        const char* const next = step_line(p, stop);
        if (state_ != state::start) line_size_ += static_cast<std::size_t>(next - p);
        p = next;
    }
    if (state_ == state::fields && p != end) {
        p += fields_.feed({p, static_cast<std::size_t>(end - p)}, request_.headers_);
        if (fields_.error() != errc::none) fail(fields_.error(), p);
        else if (fields_.done()) {
            state_ = state::done;
            if (const errc e = read_head(); e != errc::none) fail(e, p);
        }
    }
    return static_cast<std::size_t>(p - begin);
}

// One byte, or one run of bytes of a kind.
const char* request_parser::step_line(const char* p, const char* end) {
    switch (state_) {
        case state::start:
            if (*p == '\r' && !skipped_) {
                skipped_ = true;
                state_ = state::start_lf;
                return p + 1;
            }
            if (*p == '\r' || *p == '\n') return fail(errc::bad_line_end, p);
            started_ = true;
            request_.target_.clear();
            state_ = state::method;
            return p;

        case state::start_lf:
            if (*p != '\n') return fail(errc::bad_line_end, p);
            state_ = state::start;
            return p + 1;

        case state::method: {
            const std::size_t room = max_method + 1 - method_.size();
            const char* const stop =
                detail::skip(chars::token, p, static_cast<std::size_t>(end - p) > room ? p + room : end);
            method_.append(p, stop);
            if (method_.size() > max_method) return fail(errc::unknown_method, stop);
            if (stop == end) return stop;
            if (*stop != ' ' || method_.empty()) return fail(errc::bad_method, stop);
            state_ = state::target;
            return stop + 1;
        }

        case state::target: {
            const char* const stop = detail::skip(chars::target, p, end);
            request_.target_.append(p, stop);
            if (stop == end) return stop;
            if (*stop != ' ' || request_.target_.empty()) return fail(errc::bad_target, stop);
            state_ = state::version;
            return stop + 1;
        }

        case state::version: {
            constexpr std::string_view pattern = "HTTP/d.d";
            const std::size_t i = version_text_.size();
            if (i == pattern.size()) {
                if (*p != '\r') return fail(errc::bad_version, p);
                state_ = state::line_lf;
                return p + 1;
            }
            if (pattern[i] == 'd' ? !detail::is(chars::digit, *p) : *p != pattern[i]) return fail(errc::bad_version, p);
            version_text_ += *p;
            return p + 1;
        }

        case state::line_lf: {
            if (*p != '\n') return fail(errc::bad_line_end, p);
            if (const errc e = close_line(); e != errc::none) return fail(e, p + 1);
            const std::size_t taken = line_size_ + 1;
            fields_.start(limits_.head() > taken ? limits_.head() - taken : 0, limits_.fields(),
                          detail::field_parser::folds::refused);
            state_ = state::fields;
            return p + 1;
        }

        case state::fields:
        case state::done:
        case state::failed: break;
    }
    return p;
}

// The version comes first: what the rest of the line means depends on it (`PRI * HTTP/2.0`).
errc request_parser::close_line() {
    if (const errc e = read_version(); e != errc::none) return e;
    const std::optional<http::method> m = parse_method(method_);
    if (!m) return errc::unknown_method;
    request_.method_ = *m;
    return read_target();
}

errc request_parser::read_version() {
    const char major = version_text_[5];
    const char minor = version_text_[7];
    if (major != '1') return errc::unsupported_version;
    version_ = minor == '0' ? http::version::http_1_0 : http::version::http_1_1;
    return errc::none;
}

// Origin form and "*" stay as they are; absolute form becomes origin form, its host is compared later.
errc request_parser::read_target() {
    std::string& target = request_.target_;
    const bool asterisk_ok = request_.method_ == method::options;
    if (target.front() == '/') return errc::none;
    if (target == "*") return asterisk_ok ? errc::none : errc::bad_target;

    const std::string_view text = target;
    const std::size_t mark = text.find("://");
    if (mark == std::string_view::npos) return errc::bad_target;
    const std::string_view scheme = text.substr(0, mark);
    if (detail::same(scheme, "http")) default_port_ = "80";
    else if (detail::same(scheme, "https")) default_port_ = "443";
    else return errc::bad_target;

    const std::string_view rest = text.substr(mark + 3);
    const std::string_view host = rest.substr(0, rest.find_first_of("/?"));
    if (!detail::parse_authority(host)) return errc::bad_target;
    target_host_ = host;
    std::string origin(rest.substr(host.size()));
    if (origin.empty()) origin = asterisk_ok ? "*" : "/";
    else if (origin.front() == '?') origin.insert(0, 1, '/');
    target = std::move(origin);
    return errc::none;
}

errc request_parser::read_head() {
    const http::headers& h = request_.headers_;
    if (const errc e = read_host(); e != errc::none) return e;
    if (const errc e = detail::read_framing(h, version_, framing_); e != errc::none) return e;
    keep_alive_ = detail::keeps_alive(h, version_);
    // An expectation of an HTTP/1.0 client is to be ignored.
    if (version_ == http::version::http_1_0 || !h.contains("expect")) return errc::none;
    if (!detail::same(h.joined("expect"), "100-continue")) return errc::unknown_expectation;
    expects_continue_ = framing_.how == http::framing::kind::chunked || framing_.length > 0;
    return errc::none;
}

errc request_parser::read_host() const {
    const http::headers& h = request_.headers_;
    const std::size_t n = h.count("host");
    if (n > 1 || (n == 0 && version_ == http::version::http_1_1)) return errc::bad_host;
    if (n == 0) return errc::none;
    const std::optional<detail::authority> host = detail::parse_authority(*h.get("host"));
    if (!host) return errc::bad_host;
    if (target_host_.empty()) return errc::none;
    const std::optional<detail::authority> target = detail::parse_authority(target_host_);
    return detail::same_authority(*host, *target, default_port_) ? errc::none : errc::bad_host;
}

}  // namespace http
}  // namespace rondo::inline v0
