#pragma once

#include <rondo/net/stream.hpp>

namespace rondo::inline v0 {
namespace net {

/// Settings of a listener.
class listener_options {
public:
    listener_options() noexcept {}

    /// Connections the kernel keeps for us before it refuses more (default 4096, capped by net.core.somaxconn).
    listener_options& backlog(int n) noexcept { return backlog_ = n, *this; }
    /// Lets several listeners share one port (SO_REUSEPORT; default off).
    listener_options& reuse_port(bool on) noexcept { return reuse_port_ = on, *this; }

    int backlog() const noexcept { return backlog_; }
    bool reuse_port() const noexcept { return reuse_port_; }

private:
    int backlog_ = 4096;
    bool reuse_port_ = false;
};

namespace detail {

class [[nodiscard("nothing happens until it is awaited: co_await it")]] RONDO_API accept_operation
    : public io_operation {
public:
    explicit accept_operation(socket_ref s) noexcept : io_operation(io_request(), ops_table), socket_(std::move(s)) {}
    accept_operation(accept_operation&& other) noexcept
        : io_operation(other), socket_(std::move(other.socket_)), fd_(std::exchange(other.fd_, -1)) {}
    ~accept_operation();

    bool begin() noexcept;
    stream finish();
    bool failed() const noexcept { return res < 0; }
    result<stream> finish_result();

private:
    static void completed(io_operation& op) noexcept;
    static const io_ops ops_table;

    socket_ref socket_;
    int fd_ = -1;
};

}  // namespace detail

/// Listens on an address; binds at once.
///
///     net::listener l("127.0.0.1:0");        // port 0: the kernel chooses; l.local() tells
///     net::stream s = co_await l.accept();
///
/// A unix socket's path is removed when the listener is closed; a stale one, that nobody listens on, is replaced.
/// Errors: the constructor throws std::errc codes with "listen" and the address. Cancellation: of accept() ends it; a
/// connection that had come is returned, or kept for the next accept. Thread safety: one context.
class RONDO_API listener {
public:
    explicit listener(const endpoint& at, const listener_options& options = listener_options());
    listener(listener&&) noexcept = default;
    listener& operator=(listener&& other) noexcept;
    ~listener();

    /// The next connection. Errors: errc::closed after close(); errc::busy for two at once.
    detail::accept_operation accept() { return detail::accept_operation(socket_); }
    void close() noexcept;
    bool is_open() const noexcept { return socket_ && !socket_->is_closed(); }
    endpoint local() const { return local_; }

private:
    detail::socket_ref socket_;
    endpoint local_;
};

}  // namespace net
}  // namespace rondo::inline v0
