// The client: one handle for all commands to one server.
#pragma once

#include <cstddef>
#include <utility>

#include <rondo/export.hpp>
#include <rondo/redis/command.hpp>
#include <rondo/redis/commands.hpp>
#include <rondo/redis/detail/operations.hpp>
#include <rondo/redis/detail/request.hpp>
#include <rondo/redis/options.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0 {
namespace redis {

/// A handle on a Redis server: a cheap copy, shared by all jobs of a context.
///
///     redis::client db = co_await redis::connect("redis://127.0.0.1:6379");
///     std::optional<std::string> v = co_await db(redis::get("k"));
///     auto [set, n] = co_await db(redis::set("a", 1), redis::get<int>("a"));   // one write, a typed tuple
///     redis::popped job = co_await db(redis::blpop("jobs", 5s));               // on a connection of its own
///
/// Commands of all jobs travel over one connection, in the order in which they were awaited; those that come while a
/// write is under way leave together with the next one. A lone command is written at once.
///
/// **Errors**, thrown by the await as rondo::error:
/// - redis::errc::server, outcome refused: the server's answer; see server_code(). Of a pipeline the first one is
///   thrown when all replies are in.
/// - redis::errc::conversion: it was executed, but the reply does not fit the type asked for.
/// - redis::errc::connection_lost: outcome not_sent, or maybe_executed when it had been written and not answered.
///   Nothing is sent twice. The next command connects again.
/// - redis::errc::protocol, limit_exceeded: the connection is closed; outcomes as above.
/// - redis::errc::queue_full, and what connecting threw: outcome not_sent.
///
/// **Cancellation**: a command not written yet is never sent. The reply of one that was is read and thrown away, so
/// that no other command sees it; the server may have executed it. Cancelling a blocking command closes the connection
/// it had; an element popped at that moment is lost.
///
/// **Lifetime**: the connections close with the last handle and the last command awaited through it.
/// **Thread safety**: one context.
class RONDO_API client {
public:
    /// No client; connect() makes them.
    client() noexcept = default;
    explicit client(detail::router_ref r) noexcept : router_(std::move(r)) {}

    /// Awaitable, gives T.
    template <class T>
    detail::single_operation<command<T>> operator()(command<T> c) const {
        return {router_, std::move(c), false};
    }
    /// Awaitable, gives T.
    template <class T>
    detail::single_operation<blocking_command<T>> operator()(blocking_command<T> c) const {
        return {router_, std::move(c), true};
    }
    /// Awaitable, gives a tuple with the reply of each (std::monostate for void).
    ///
    /// They are written together and executed in order, with commands of others possibly between them.
    template <class A, class B, class... More>
    detail::pipeline_operation<A, B, More...> operator()(command<A> a, command<B> b, command<More>... more) const {
        return {router_, std::move(a), std::move(b), std::move(more)...};
    }

    explicit operator bool() const noexcept { return static_cast<bool>(router_); }

private:
    detail::router_ref router_;
};

/// Connects, greets the server (HELLO 3, AUTH, SELECT in one round trip) and gives the handle.
///
/// **Errors**: what net::connect throws; errc::server when the server refuses us, with its words;
/// errc::connection_lost when it closes before it has answered. **Cancellation**: closes the socket.
RONDO_API task<client> connect(options to);

}  // namespace redis
}  // namespace rondo::inline v0
