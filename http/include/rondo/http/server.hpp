#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include <rondo/export.hpp>
#include <rondo/http/detail/route_handler.hpp>
#include <rondo/http/method.hpp>
#include <rondo/http/request.hpp>
#include <rondo/http/response.hpp>
#include <rondo/http/server_options.hpp>
#include <rondo/net/endpoint.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0 {
namespace http {

/// An HTTP/1.1 server (and HTTP/1.0, with keep-alive): routes paths to coroutines.
///
///     rondo::task<http::response> hello(http::request& r) {
///         co_return http::response::text("hello " + r.param("name") + "\n");
///     }
///     http::server s("127.0.0.1:8080");
///     s.get("/hello/{name}", hello);
///     co_await s.serve();
///
/// A path is literal, but for segments like `{name}`, which stand for any one non-empty segment; a literal segment is
/// preferred. HEAD is answered by the GET handler, OPTIONS by the server; an unknown path is 404, a known one with
/// another method 405. An exception that leaves a handler is reported (rondo/report.hpp) and answered with 500.
///
/// A handler is `task<response>(request&)`: a function, or a callable object, which the server keeps, so a lambda may
/// capture. The request is the handler's until it returns, with its whole body read. **Cancellation**: of a handler
/// whose client closed its connection, or its sending side of it; a handler that answers without waiting is not
/// affected.
///
/// Pipelined requests are answered in order, one handler at a time; the answers go out together where they can.
/// Thread safety: one context.
class RONDO_API server {
public:
    /// Binds at once. **Errors**: std::errc codes with "listen" and the address.
    explicit server(const net::endpoint& at, const server_options& options = server_options());
    server(server&&) noexcept;
    server& operator=(server&&) noexcept;
    ~server();

    /// **Errors**: error(errc::invalid_argument) for a malformed path, or one that has this method already.
    template <detail::callable_route F>
    server& route(method m, std::string_view path, F handler) {
        return add(m, path, std::make_unique<detail::route_handler_of<F>>(std::move(handler)));
    }
    template <detail::callable_route F>
    server& get(std::string_view path, F handler) {
        return route(method::get, path, std::move(handler));
    }
    template <detail::callable_route F>
    server& post(std::string_view path, F handler) {
        return route(method::post, path, std::move(handler));
    }
    template <detail::callable_route F>
    server& put(std::string_view path, F handler) {
        return route(method::put, path, std::move(handler));
    }
    template <detail::callable_route F>
    server& delete_(std::string_view path, F handler) {
        return route(method::delete_, path, std::move(handler));
    }

    /// The address it is bound to: tells the port that was chosen for 0.
    net::endpoint local() const;
    std::size_t connections() const noexcept;

    /// Serves until stop(), or until it is cancelled. Either way it then drains: takes no new connection, closes the
    /// idle ones, and returns when the last handler has ended and its response is out; handlers that are not done
    /// after the grace period are cancelled.
    ///
    /// **Errors**: error(errc::busy) while it serves already. What goes wrong on one connection ends that connection
    /// only. **Cancellation**: drains first, then unwinds. **Lifetime**: the server may be moved or destroyed
    /// meanwhile.
    task<void> serve();
    /// Closes the listener and lets serve() drain and return. The server cannot serve again.
    void stop() noexcept;

private:
    struct state;

    server& add(method m, std::string_view path, std::unique_ptr<detail::route_handler> h);
    static task<void> serve(std::shared_ptr<state> s);

    std::shared_ptr<state> state_;
};

}  // namespace http
}  // namespace rondo::inline v0
