#pragma once

#include <cstddef>
#include <memory>

#include <rondo/export.hpp>
#include <rondo/http/client_options.hpp>
#include <rondo/http/request.hpp>
#include <rondo/http/response.hpp>
#include <rondo/http/url.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0 {
namespace http {

namespace detail {
class client_pool;
}

/// An HTTP/1.1 client that keeps connections alive and shares them among all its callers.
///
///     http::client c;
///     http::response r = co_await c.get("http://127.0.0.1:8080/path");
///     if (r.ok()) use(r.body());
///
/// A response of any status is a value. It comes with its whole body, which is what a with_timeout around the call
/// covers too. A connection goes back to the pool only when its response was read to the last byte and nothing came
/// after it; one that the server closed meanwhile is noticed before it is used. A GET or HEAD on a reused connection
/// that broke before any byte of a response is sent once more, on a new one; nothing else is ever repeated.
///
/// **Errors**: rondo::error that names method and URL: http::errc for what is wrong with URL, request or response;
/// std::errc of the kernel; its outcome() tells whether the request can have reached the server.
/// **Cancellation**: at any point; closes the connection it used. **Lifetime**: copies share one pool; requests under
/// way keep it. **Thread safety**: one context.
class RONDO_API client {
public:
    explicit client(const client_options& options = client_options());

    task<response> get(url from);
    task<response> post(url to, std::string body);
    /// Any other request. Its target is taken from the URL.
    task<response> send(url to, request r);

    /// Connections that wait for a request; and all, with those that serve one.
    std::size_t idle_connections() const noexcept;
    std::size_t connections() const noexcept;

private:
    static task<response> send(std::shared_ptr<detail::client_pool> pool, url to, request r);

    std::shared_ptr<detail::client_pool> pool_;
};

}  // namespace http
}  // namespace rondo::inline v0
