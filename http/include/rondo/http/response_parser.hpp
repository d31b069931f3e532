#pragma once

#include <cstddef>

#include <rondo/bytes.hpp>
#include <rondo/export.hpp>
#include <rondo/http/detail/field_parser.hpp>
#include <rondo/http/error.hpp>
#include <rondo/http/framing.hpp>
#include <rondo/http/limits.hpp>
#include <rondo/http/method.hpp>
#include <rondo/http/response.hpp>

namespace rondo::inline v0 {
namespace http {

/// Parses the head of one HTTP/1.x response, as a user agent must (RFC 9112), and strictly otherwise.
///
/// It needs the method of the request, because an answer to HEAD ends with its head. A 1xx head is done() like
/// any other: after is_interim(), reset() and feed it what follows.
///
/// Does no I/O. Thread safety: one thread at a time.
class RONDO_API response_parser {
public:
    explicit response_parser(http::method asked, const limits& l = {});

    /// How many bytes it took. Fewer than given when the head ended or an error was found.
    std::size_t feed(bytes in);

    bool done() const noexcept { return state_ == state::done; }
    bool failed() const noexcept { return state_ == state::failed; }
    /// Whether any byte has come.
    bool started() const noexcept { return started_; }
    errc error() const noexcept { return error_; }

    /// The response, complete but for body and trailers once done().
    http::response& response() noexcept { return response_; }
    const http::response& response() const noexcept { return response_; }

    // Once done():
    http::version version() const noexcept { return version_; }
    const http::framing& framing() const noexcept { return framing_; }
    /// Whether the connection can take another request after this response.
    bool keep_alive() const noexcept { return keep_alive_; }

    /// Makes it ready for the next head that answers the same request; memory is kept.
    void reset();

private:
    enum class state : unsigned char { line, reason_or_end, reason, line_lf, fields, done, failed };

    const char* step_line(const char* p, const char* end);
    const char* fail(errc e, const char* p) noexcept;
    errc close_line() noexcept;
    errc read_head();

    limits limits_;
    http::method asked_;
    state state_ = state::line;
    errc error_ = errc::none;
    bool started_ = false;
    bool keep_alive_ = false;
    http::version version_ = http::version::http_1_1;
    http::framing framing_;
    std::size_t line_size_ = 0;
    char line_[12] = {};  // "HTTP/1.1 200"
    http::response response_;
    detail::field_parser fields_;
};

}  // namespace http
}  // namespace rondo::inline v0
