#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <rondo/bytes.hpp>
#include <rondo/export.hpp>
#include <rondo/http/detail/body_framer.hpp>
#include <rondo/http/framing.hpp>
#include <rondo/http/method.hpp>
#include <rondo/http/response.hpp>

namespace rondo::inline v0 {
namespace http {

/// Writes one HTTP/1.1 response, the answer to one request, by appending to a string.
///
/// It alone decides about framing and connection: such fields among the response's own (Content-Length,
/// Transfer-Encoding, Connection, …) are left out, but a `Connection: close` is heeded. So it cannot write both
/// Content-Length and Transfer-Encoding, a body to HEAD or with 204 or 304, chunks to an HTTP/1.0 client, or a
/// body of another length than declared; and `headers` let no line end in.
///
/// Does no I/O. Thread safety: one thread at a time.
class RONDO_API response_writer {
public:
    /// `asked`, `peer`, `keep_alive`: method, version and keep_alive() of the request; `date`: see http_date().
    response_writer(http::method asked, version peer, bool keep_alive, std::string_view date) noexcept
        : asked_(asked), peer_(peer), keep_alive_(keep_alive), date_(date) {}

    /// Appends the whole response: head, body and trailers (trailers only where the client can take them).
    void whole(std::string& out, const response& r);

    /// Appends the head. Without a length the body is chunked, or for HTTP/1.0 ends with the connection.
    ///
    /// **Errors**: error(http::errc::bad_status) unless 200 ≤ status ≤ 999.
    void head(std::string& out, const response& r, std::optional<std::uint64_t> length);
    /// Appends a piece of the body; after head(). **Errors**: error(http::errc::body_length_mismatch) beyond the
    /// declared length: nothing is written, and the connection must be closed.
    void body(std::string& out, bytes piece);
    /// Appends the end; after the last body(). **Errors**: error(http::errc::body_length_mismatch) short of the
    /// declared length: the connection must be closed.
    void end(std::string& out, const headers& trailers = {});

    /// Appends an interim response without fields, such as 100; nothing to an HTTP/1.0 client, which would take
    /// it for the answer.
    void interim(std::string& out, int status) const;

    /// Whether the connection stays usable after this response; known once head() was written.
    bool keep_alive() const noexcept { return keep_alive_; }

private:
    http::method asked_;
    version peer_;
    bool keep_alive_;
    std::string_view date_;
    detail::body_framer body_;
};

}  // namespace http
}  // namespace rondo::inline v0
