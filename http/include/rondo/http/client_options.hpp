#pragma once

#include <chrono>
#include <cstddef>

#include <rondo/detail/at_least_one.hpp>
#include <rondo/http/limits.hpp>
#include <rondo/time.hpp>

namespace rondo::inline v0 {
namespace http {

/// Settings of a client. Every one has a default. Errors: errc::invalid_argument for max_per_host(0).
///
///     http::client c(http::client_options().max_per_host(4));
class client_options {
public:
    client_options() noexcept {}

    /// What a server may make us hold (body: 16 MiB by default).
    client_options& limits(const http::limits& l) noexcept { return limits_ = l, *this; }
    /// Connections to one host at the same time, busy and idle (default 32). More requests wait their turn.
    client_options& max_per_host(std::size_t n) {
        return max_per_host_ = rondo::detail::at_least_one(n, "max_per_host"), *this;
    }
    /// How long an idle connection is kept for reuse (default 60 s); less if the server says so (Keep-Alive: timeout=).
    client_options& idle_timeout(duration d) noexcept { return idle_timeout_ = d, *this; }
    /// How many 1xx responses may come before the answer (default 16).
    client_options& max_interim(std::size_t n) noexcept { return max_interim_ = n, *this; }

    const http::limits& limits() const noexcept { return limits_; }
    std::size_t max_per_host() const noexcept { return max_per_host_; }
    duration idle_timeout() const noexcept { return idle_timeout_; }
    std::size_t max_interim() const noexcept { return max_interim_; }

private:
    http::limits limits_ = http::limits().body(16 * 1024 * 1024);
    std::size_t max_per_host_ = 32;
    duration idle_timeout_ = std::chrono::seconds(60);
    std::size_t max_interim_ = 16;
};

}  // namespace http
}  // namespace rondo::inline v0
