#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <rondo/bytes.hpp>
#include <rondo/export.hpp>
#include <rondo/http/detail/body_framer.hpp>
#include <rondo/http/request.hpp>

namespace rondo::inline v0 {
namespace http {

/// Writes one HTTP/1.1 request by appending to a string.
///
/// Like response_writer it alone decides about framing and connection, and leaves such fields of the request
/// out. Does no I/O. Thread safety: one thread at a time.
class RONDO_API request_writer {
public:
    /// `authority`: host, and port unless it is the default; the Host field of a request that has none itself.
    explicit request_writer(std::string_view authority) noexcept : authority_(authority) {}

    /// Appends the whole request: head, body and trailers.
    void whole(std::string& out, const request& r);

    /// Appends the head. Without a length the body is chunked.
    ///
    /// **Errors**: error(http::errc::bad_target) for a target that is neither path nor "*";
    /// error(http::errc::bad_header) for a Host that is malformed or repeated, or TRACE with a body.
    void head(std::string& out, const request& r, std::optional<std::uint64_t> length);
    /// Appends a piece of the body; after head(). **Errors**: error(http::errc::body_length_mismatch) beyond the
    /// declared length; nothing is written, and the connection must be closed.
    void body(std::string& out, bytes piece) { body_.write(out, piece); }
    /// Appends the end; after the last body(). **Errors**: error(http::errc::body_length_mismatch) short of the
    /// declared length; the connection must be closed.
    void end(std::string& out, const headers& trailers = {}) { body_.end(out, trailers); }

private:
    std::string_view authority_;
    detail::body_framer body_;
};

}  // namespace http
}  // namespace rondo::inline v0
