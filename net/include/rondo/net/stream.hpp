#pragma once

#include <rondo/net/chunk.hpp>
#include <rondo/net/detail/stream_operations.hpp>
#include <rondo/net/endpoint.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0 {
namespace net {

/// A connected byte stream over tcp or a unix socket: one concrete, movable type.
///
///     net::stream s = co_await net::connect("127.0.0.1:7");
///     co_await s.write_all("hello\n");
///     net::chunk reply = co_await s.read();
///
/// One read and one write may run at once, from different jobs. Destroying it closes it: operations in flight are ended
/// first.
///
/// Errors: std::errc codes of the kernel with the operation and the peer; errc::closed after close(), also for
/// operations that close() ended; errc::busy for a second read (or write) at the same time. Cancellation: of any
/// operation; bytes that had arrived are returned, or kept for the next read. Thread safety: one context.
class RONDO_API stream {
public:
    stream() noexcept = default;
    explicit stream(detail::socket_ref s) noexcept : socket_(std::move(s)) {}
    /// Takes over a connected socket.
    static stream adopt(int fd);
    stream(stream&&) noexcept = default;
    stream& operator=(stream&& other) noexcept;
    ~stream();

    /// Bytes as they come, in a buffer leased for them; an empty chunk is the end of the stream. An idle read holds no
    /// buffer.
    detail::read_operation read() { return detail::read_operation(socket()); }
    /// Bytes as they come, at most into.size(), copied to `into`; 0 only at the end of the stream, or for an empty
    /// span.
    detail::read_some_operation read_some(mutable_bytes into) { return {socket(), into}; }
    /// Fills `into` whole. Errors: errc::end_of_stream, with the count that came, when the stream ends before.
    task<void> read_exactly(mutable_bytes into);

    /// Writes at least one byte and gives the count. Lifetime: the bytes stay valid until it returns.
    detail::write_operation write_some(bytes from) { return {socket(), from, false}; }
    /// Writes everything and gives the count. When it fails or is cancelled a part may have been written: the stream is
    /// then of no further use for a protocol. Lifetime: the bytes stay valid until it returns.
    detail::write_operation write_all(bytes from) { return {socket(), from, true}; }

    /// No more writes: the peer reads to the end of the stream; reads go on.
    void shutdown();
    void close() noexcept;

    bool is_open() const noexcept { return socket_ && !socket_->is_closed(); }
    explicit operator bool() const noexcept { return is_open(); }
    endpoint peer() const;
    endpoint local() const;
    /// Sends small writes at once (TCP_NODELAY; on by default). No effect on unix sockets.
    void no_delay(bool on);
    /// -1 when it is closed.
    int native_handle() const noexcept { return is_open() ? socket_->fd() : -1; }

private:
    detail::socket_ref socket() const { return socket_; }

    detail::socket_ref socket_;
};

/// Connects to an address. Errors: std::errc codes with "connect" and the peer. Cancellation: ends at once.
RONDO_API task<stream> connect(endpoint to);

}  // namespace net
}  // namespace rondo::inline v0
