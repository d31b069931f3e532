#pragma once

#include <optional>
#include <string_view>

#include <rondo/export.hpp>

namespace rondo::inline v0 {
namespace http {

/// The request methods known here (RFC 9110 section 9, RFC 5789 for PATCH). CONNECT is not among them: a
/// tunnel is not a request with a response.
enum class method : unsigned char { get, head, post, put, patch, delete_, options, trace };

/// The name on the wire, such as "GET".
RONDO_API std::string_view to_string(method m) noexcept;

/// The method with this name. Names are case-sensitive: "get" is not one.
RONDO_API std::optional<method> parse_method(std::string_view name) noexcept;

/// Whether the same request, sent twice, has the effect of one (RFC 9110 section 9.2.2).
RONDO_API bool is_idempotent(method m) noexcept;

}  // namespace http
}  // namespace rondo::inline v0
