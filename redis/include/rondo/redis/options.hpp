// Where the server is, who we are there, and what a client may hold.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <rondo/detail/at_least_one.hpp>
#include <rondo/export.hpp>
#include <rondo/net/endpoint.hpp>
#include <rondo/redis/parser.hpp>

namespace rondo::inline v0 {
namespace redis {

/// Settings of a client. Every one has a default; a URL sets the first four.
///
///     redis::options("redis://app:s%40crt@10.0.0.7:6379/2").max_waiting(1000)
///
/// | URL | means |
/// |---|---|
/// | `redis://[[user]:password@]address[:port][/db]` | tcp; the port is 6379 unless given |
/// | `unix:/path[?db=n]`, `unix://[[user]:password@]/path[?db=n]` | a unix socket |
///
/// The address is IPv4, IPv6 in brackets, or `localhost`, which is 127.0.0.1; other names are not looked up yet. User,
/// password and path are percent-decoded. `rediss://` needs TLS, which is not built yet.
/// **Errors**: errc::invalid_argument, or redis::errc::unsupported, with the URL (its password hidden) and what is
/// wrong with it; errc::invalid_argument for max_waiting(0) and max_blocking(0). Thread safety: a value.
class RONDO_API options {
public:
    options(std::string_view url);
    options(const char* url) : options(std::string_view(url)) {}
    options(const std::string& url) : options(std::string_view(url)) {}
    options(net::endpoint at) noexcept : where_(at) {}

    options& user(std::string name) { return user_ = std::move(name), *this; }
    options& password(std::string secret) { return password_ = std::move(secret), *this; }
    options& database(int n) noexcept { return database_ = n, *this; }

    /// RESP 3 (the default, with a fall to 2 where the server knows no HELLO) or 2 from the start.
    options& protocol(int version) noexcept { return protocol_ = version, *this; }
    /// What the parser accepts of one reply.
    options& limits(const parser_limits& l) noexcept { return limits_ = l, *this; }
    /// Commands that may wait for their reply at once, those given up but still owed one included (default 65536).
    /// Beyond it a command fails at once with errc::queue_full.
    options& max_waiting(std::size_t n) { return max_waiting_ = rondo::detail::at_least_one(n, "max_waiting"), *this; }
    /// Bytes of commands that may wait to be sent (default 64 MiB); one command alone is always taken.
    options& max_unsent_bytes(std::size_t n) noexcept { return max_unsent_bytes_ = n, *this; }
    /// Blocking commands that may wait at once, each on a connection of its own (default 256).
    options& max_blocking(std::size_t n) {
        return max_blocking_ = rondo::detail::at_least_one(n, "max_blocking"), *this;
    }
    /// Connections that stay open for the next blocking commands (default 16).
    options& max_idle_blocking(std::size_t n) noexcept { return max_idle_blocking_ = n, *this; }

    const net::endpoint& where() const noexcept { return where_; }
    const std::string& user() const noexcept { return user_; }
    const std::string& password() const noexcept { return password_; }
    int database() const noexcept { return database_; }
    int protocol() const noexcept { return protocol_; }
    const parser_limits& limits() const noexcept { return limits_; }
    std::size_t max_waiting() const noexcept { return max_waiting_; }
    std::size_t max_unsent_bytes() const noexcept { return max_unsent_bytes_; }
    std::size_t max_blocking() const noexcept { return max_blocking_; }
    std::size_t max_idle_blocking() const noexcept { return max_idle_blocking_; }

private:
    net::endpoint where_;
    std::string user_, password_;
    int database_ = 0;
    int protocol_ = 3;
    parser_limits limits_;
    std::size_t max_waiting_ = 65536;
    std::size_t max_unsent_bytes_ = std::size_t{64} << 20;
    std::size_t max_blocking_ = 256;
    std::size_t max_idle_blocking_ = 16;
};

}  // namespace redis
}  // namespace rondo::inline v0
