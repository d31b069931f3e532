#pragma once

#include <string_view>

#include <rondo/export.hpp>

namespace rondo::inline v0 {
namespace http {

/// The reason phrase registered for a status, such as "Not Found"; empty when there is none.
RONDO_API std::string_view reason_phrase(int status) noexcept;

/// 1xx: not the answer yet.
constexpr bool is_interim(int status) noexcept { return status >= 100 && status < 200; }

/// Statuses whose responses end with the head, whatever their fields say (RFC 9112 section 6.3).
constexpr bool is_bodiless(int status) noexcept { return is_interim(status) || status == 204 || status == 304; }

}  // namespace http
}  // namespace rondo::inline v0
