#pragma once

#include <chrono>
#include <cstddef>

#include <rondo/detail/at_least_one.hpp>
#include <rondo/http/limits.hpp>
#include <rondo/time.hpp>

namespace rondo::inline v0 {
namespace http {

/// Settings of a server. Every one has a default that is safe to show to strangers.
///
///     http::server s(at, http::server_options().header_timeout(5s).limits(http::limits().body(64 << 20)));
///
/// Errors: errc::invalid_argument for max_connections(0).
class server_options {
public:
    server_options() noexcept {}

    /// What a client may make us hold.
    server_options& limits(const http::limits& l) noexcept { return limits_ = l, *this; }
    /// How long a whole head may take to come (default 10 s), from its first byte on; from the accept for the first.
    server_options& header_timeout(duration d) noexcept { return header_timeout_ = d, *this; }
    /// How long a body may stand still (default 30 s).
    server_options& body_timeout(duration d) noexcept { return body_timeout_ = d, *this; }
    /// How long a connection may wait for its next request (default 75 s).
    server_options& idle_timeout(duration d) noexcept { return idle_timeout_ = d, *this; }
    /// How long a client may take no byte of a response (default 30 s).
    server_options& write_timeout(duration d) noexcept { return write_timeout_ = d, *this; }
    /// How long to wait for the client to close after a last response (default 2 s). Closing at once could destroy the
    /// response on its way.
    server_options& linger(duration d) noexcept { return linger_ = d, *this; }
    /// How long handlers may go on once serve() was cancelled or stop() called (default 10 s).
    server_options& grace(duration d) noexcept { return grace_ = d, *this; }
    /// Connections at the same time (default 10000). More wait in the kernel's queue.
    server_options& max_connections(std::size_t n) {
        return max_connections_ = rondo::detail::at_least_one(n, "max_connections"), *this;
    }
    /// The kernel's queue of connections not yet accepted (default 4096, capped by net.core.somaxconn).
    server_options& backlog(int n) noexcept { return backlog_ = n, *this; }
    /// Lets several servers share one port (SO_REUSEPORT; default off).
    server_options& reuse_port(bool on) noexcept { return reuse_port_ = on, *this; }

    const http::limits& limits() const noexcept { return limits_; }
    duration header_timeout() const noexcept { return header_timeout_; }
    duration body_timeout() const noexcept { return body_timeout_; }
    duration idle_timeout() const noexcept { return idle_timeout_; }
    duration write_timeout() const noexcept { return write_timeout_; }
    duration linger() const noexcept { return linger_; }
    duration grace() const noexcept { return grace_; }
    std::size_t max_connections() const noexcept { return max_connections_; }
    int backlog() const noexcept { return backlog_; }
    bool reuse_port() const noexcept { return reuse_port_; }

private:
    http::limits limits_;
    duration header_timeout_ = std::chrono::seconds(10);
    duration body_timeout_ = std::chrono::seconds(30);
    duration idle_timeout_ = std::chrono::seconds(75);
    duration write_timeout_ = std::chrono::seconds(30);
    duration linger_ = std::chrono::seconds(2);
    duration grace_ = std::chrono::seconds(10);
    std::size_t max_connections_ = 10000;
    int backlog_ = 4096;
    bool reuse_port_ = false;
};

}  // namespace http
}  // namespace rondo::inline v0
