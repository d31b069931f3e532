#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <rondo/bytes.hpp>
#include <rondo/export.hpp>
#include <rondo/http/detail/field_parser.hpp>
#include <rondo/http/error.hpp>
#include <rondo/http/framing.hpp>
#include <rondo/http/limits.hpp>
#include <rondo/http/request.hpp>

namespace rondo::inline v0 {
namespace http {

/// Parses the head of an HTTP/1.x request, strictly (RFC 9112; where it leaves a choice, the safe one).
///
/// Give it bytes as they come, in pieces of any size; it looks at each once. It stops after the last byte of
/// the head. What follows is the body, which a body_decoder made from framing() takes, and then the next head.
///
///     http::request_parser p;
///     std::size_t used = p.feed(received);
///     if (p.failed()) answer(http::status_for(p.error()));
///     else if (p.done()) http::body_decoder body(p.framing(), limits);
///
/// Does no I/O. Thread safety: one thread at a time.
class RONDO_API request_parser {
public:
    explicit request_parser(const limits& l = {});

    /// How many bytes it took. Fewer than given when the head ended or an error was found.
    std::size_t feed(bytes in);

    bool done() const noexcept { return state_ == state::done; }
    bool failed() const noexcept { return state_ == state::failed; }
    /// Whether the request line has begun: tells an idle connection from one in the middle of a head.
    bool started() const noexcept { return started_; }
    errc error() const noexcept { return error_; }

    /// The request, complete but for body and trailers once done().
    http::request& request() noexcept { return request_; }
    const http::request& request() const noexcept { return request_; }

    // Once done(), or failed() after the request line:
    http::version version() const noexcept { return version_; }
    const http::framing& framing() const noexcept { return framing_; }
    /// Whether the client can take another response on this connection.
    bool keep_alive() const noexcept { return keep_alive_; }
    /// Whether the client holds the body back until it is asked for it (RFC 9110 section 10.1.1).
    bool expects_continue() const noexcept { return expects_continue_; }

    /// Makes it ready for the next head; memory is kept.
    void reset();

private:
    enum class state : unsigned char { start, start_lf, method, target, version, line_lf, fields, done, failed };

    const char* step_line(const char* p, const char* end);
    const char* fail(errc e, const char* p) noexcept;
    errc close_line();
    errc read_version();
    errc read_target();
    errc read_head();
    errc read_host() const;

    limits limits_;
    state state_ = state::start;
    errc error_ = errc::none;
    bool started_ = false;
    bool skipped_ = false;  // the one empty line that may come before a request line
    bool keep_alive_ = false;
    bool expects_continue_ = false;
    http::version version_ = http::version::http_1_1;
    http::framing framing_;
    std::size_t line_size_ = 0;
    std::string method_, version_text_;
    std::string target_host_, default_port_;  // of a target in absolute form
    http::request request_;
    detail::field_parser fields_;
};

}  // namespace http
}  // namespace rondo::inline v0
