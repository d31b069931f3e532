#pragma once

#include <string>
#include <string_view>

#include <rondo/export.hpp>

namespace rondo::inline v0 {
namespace http {

/// The URL of a request: `http://host[:port][/path][?query]`.
///
/// The host is a literal IPv4 or IPv6 address, or localhost, which means 127.0.0.1. A fragment is dropped, as
/// it is never sent. Thread safety: a value.
class RONDO_API url {
public:
    /// **Errors**: error(http::errc::bad_url, unsupported_scheme or unresolvable_host); the text holds the URL
    /// (without user information) and the reason.
    url(std::string_view text);
    url(const std::string& text) : url(std::string_view(text)) {}
    url(const char* text) : url(std::string_view(text)) {}

    /// As written, lower case, IPv6 in brackets.
    const std::string& host() const noexcept { return host_; }
    unsigned port() const noexcept { return port_; }
    /// Path and query, at least "/".
    const std::string& target() const noexcept { return target_; }
    /// What a Host field says: the host, and the port unless it is 80.
    std::string authority() const;
    /// Where to connect, as net::endpoint reads it: "127.0.0.1:80", "[::1]:8080".
    std::string endpoint() const;
    std::string to_string() const { return "http://" + authority() + target_; }

private:
    std::string host_;
    unsigned port_ = 80;
    std::string target_;
};

}  // namespace http
}  // namespace rondo::inline v0
