// What the fields of a head mean for its framing, its connection and its routing.
#pragma once

#include <optional>
#include <string_view>

#include <rondo/http/error.hpp>
#include <rondo/http/framing.hpp>
#include <rondo/http/headers.hpp>

namespace rondo::inline v0 {
namespace http {
namespace detail {

/// Reads Content-Length and Transfer-Encoding into `out`, which keeps its value when there is neither.
errc read_framing(const headers& h, version v, framing& out);

/// Whether the connection outlives the message (RFC 9112 section 9.3).
bool keeps_alive(const headers& h, version v) noexcept;

/// Four decimal numbers up to 255 without leading zeros.
bool is_ipv4(std::string_view s) noexcept;

/// host, and port when the text has one; nullopt when it is not a valid authority without user information.
struct authority {
    std::string_view host, port;
};
std::optional<authority> parse_authority(std::string_view text) noexcept;

/// The same place: the host without regard to case, the port with this default.
bool same_authority(authority a, authority b, std::string_view default_port) noexcept;

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
