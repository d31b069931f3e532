// What can be wrong with an HTTP message, and how a server answers it.
#pragma once

#include <system_error>

#include <rondo/error.hpp>

namespace rondo::inline v0 {
namespace http {

/// Failures of the HTTP codec, client and server. System failures keep their own codes.
///
/// A parser that failed stays failed: nothing after the offending byte is looked at.
enum class errc {
    none = 0,

    // The first line (RFC 9112 sections 3 and 4).
    bad_method,           ///< not a token
    unknown_method,       ///< a token, and not a method that is implemented here
    bad_target,           ///< a byte or a form that a request target cannot have
    target_too_long,      ///< the request line is over its limit
    bad_version,          ///< not "HTTP/" digit "." digit
    unsupported_version,  ///< well formed, and not HTTP/1.x
    bad_status_line,      ///< not a version, a space, three digits, and an optional reason

    // Header and trailer fields (RFC 9112 section 5).
    bad_line_end,         ///< a bare CR or LF, or empty lines before the first line
    bad_field_name,       ///< empty, not a token, followed by space, or a line without a colon
    bad_field_value,      ///< a control character
    folded_field,         ///< obs-fold where it is not allowed
    head_too_large,       ///< the head is over its limit of bytes
    too_many_fields,      ///< the head is over its limit of fields
    bad_host,             ///< Host missing, twice, malformed, or not the one of the request target
    unknown_expectation,  ///< Expect with anything but 100-continue

    // Framing (RFC 9112 sections 6 and 7).
    bad_content_length,         ///< not one decimal number, or more than one field
    ambiguous_length,           ///< Content-Length beside Transfer-Encoding
    bad_transfer_encoding,      ///< malformed, chunked not last or not alone, or sent with HTTP/1.0
    unknown_transfer_encoding,  ///< a coding that is not implemented here
    bad_chunk,                  ///< a chunk size, an extension or an end that breaks the grammar
    chunk_overhead,             ///< too much extension, or far more framing than data
    body_too_large,             ///< the body is over its limit
    incomplete,                 ///< the peer closed before the message was whole

    // What the client adds.
    bad_url,             ///< cannot be used; the text says why
    unsupported_scheme,  ///< not http
    unresolvable_host,   ///< a host name, where only literal addresses and localhost can be used
    too_many_interim,    ///< more 1xx responses than the limit
    unasked_upgrade,     ///< 101 without a request for it
    no_response,         ///< the peer closed before any byte of a response

    // Misuse of the writers.
    bad_header,            ///< a name or value that cannot be sent
    bad_status,            ///< not a final status
    body_length_mismatch,  ///< more or fewer bytes than the head declared
};

/// The category named "rondo.http".
RONDO_API const std::error_category& category() noexcept;
inline std::error_code make_error_code(errc e) noexcept { return {static_cast<int>(e), http::category()}; }

/// The status with which a server answers a request that failed so: 400, 413, 414, 417, 431, 501 or 505.
RONDO_API int status_for(errc e) noexcept;

}  // namespace http
}  // namespace rondo::inline v0

template <>
struct std::is_error_code_enum<rondo::http::errc> : std::true_type {};
