#include <rondo/http/response_parser.hpp>

#include <rondo/http/status.hpp>

#include "grammar.hpp"
#include "head_fields.hpp"

namespace rondo::inline v0 {
namespace http {

namespace {

using detail::chars;

}  // namespace

response_parser::response_parser(http::method asked, const limits& l) : limits_(l), asked_(asked) {}

void response_parser::reset() {
    state_ = state::line;
    error_ = errc::none;
    started_ = keep_alive_ = false;
    version_ = http::version::http_1_1;
    framing_ = {};
    line_size_ = 0;
    response_.status_ = 200;
    response_.headers_.clear();
    response_.trailers_.clear();
    response_.body_.clear();
}

const char* response_parser::fail(errc e, const char* p) noexcept {
    state_ = state::failed;
    error_ = e;
    keep_alive_ = false;
    return p;
}

std::size_t response_parser::feed(bytes in) {
    const char* const begin = in.text().data();
    const char* const end = begin + in.size();
    const char* p = begin;
    if (p != end) started_ = true;
    while (p != end && state_ < state::fields) {
        if (line_size_ == limits_.start_line()) {
            fail(errc::head_too_large, p);
            break;
        }
        const std::size_t room = limits_.start_line() - line_size_;
        const char* const next = step_line(p, static_cast<std::size_t>(end - p) > room ? p + room : end);
        line_size_ += static_cast<std::size_t>(next - p);
        p = next;
    }
    if (state_ == state::fields && p != end) {
        p += fields_.feed({p, static_cast<std::size_t>(end - p)}, response_.headers_);
        if (fields_.error() != errc::none) fail(fields_.error(), p);
        else if (fields_.done()) {
            state_ = state::done;
            if (const errc e = read_head(); e != errc::none) fail(e, p);
        }
    }
    return static_cast<std::size_t>(p - begin);
}

// One byte, or the run of bytes of a reason, which nobody needs and nobody keeps.
const char* response_parser::step_line(const char* p, const char* end) {
    switch (state_) {
        case state::line: {
            constexpr std::string_view pattern = "HTTP/d.d ddd";
            const char want = pattern[line_size_];
            if (want == 'd' ? !detail::is(chars::digit, *p) : *p != want) return fail(errc::bad_status_line, p);
            line_[line_size_] = *p;
            if (line_size_ + 1 == pattern.size()) state_ = state::reason_or_end;
            return p + 1;
        }

        case state::reason_or_end:
            if (*p != ' ' && *p != '\r') return fail(errc::bad_status_line, p);
            state_ = *p == ' ' ? state::reason : state::line_lf;
            return p + 1;

        case state::reason: {
            const char* const stop = detail::skip(chars::value, p, end);
            if (stop == end) return stop;
            if (*stop != '\r') return fail(*stop == '\n' ? errc::bad_line_end : errc::bad_status_line, stop);
            state_ = state::line_lf;
            return stop + 1;
        }

        case state::line_lf: {
            if (*p != '\n') return fail(errc::bad_line_end, p);
            if (const errc e = close_line(); e != errc::none) return fail(e, p + 1);
            const std::size_t taken = line_size_ + 1;
            fields_.start(limits_.head() > taken ? limits_.head() - taken : 0, limits_.fields(),
                          detail::field_parser::folds::joined);
            state_ = state::fields;
            return p + 1;
        }

        case state::fields:
        case state::done:
        case state::failed: break;
    }
    return p;
}

errc response_parser::close_line() noexcept {
    if (line_[5] != '1') return errc::unsupported_version;
    version_ = line_[7] == '0' ? http::version::http_1_0 : http::version::http_1_1;
    response_.status_ = (line_[9] - '0') * 100 + (line_[10] - '0') * 10 + (line_[11] - '0');
    return response_.status_ >= 100 ? errc::none : errc::bad_status_line;
}

// RFC 9112 section 6.3: first what has no body whatever its fields say, then the fields, then the rest.
errc response_parser::read_head() {
    keep_alive_ = detail::keeps_alive(response_.headers_, version_);
    if (asked_ == method::head || is_bodiless(response_.status_)) return errc::none;
    framing_.how = http::framing::kind::until_close;
    const errc e = detail::read_framing(response_.headers_, version_, framing_);
    if (framing_.how == http::framing::kind::until_close) keep_alive_ = false;
    return e;
}

}  // namespace http
}  // namespace rondo::inline v0
