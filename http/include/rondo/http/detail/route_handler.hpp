#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <rondo/export.hpp>
#include <rondo/http/request.hpp>
#include <rondo/http/response.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0 {
namespace http {
namespace detail {

/// What a route calls. The server keeps it as long as any of its coroutines runs.
class RONDO_API route_handler {
public:
    route_handler() = default;
    route_handler(const route_handler&) = delete;
    route_handler& operator=(const route_handler&) = delete;
    virtual ~route_handler();
    virtual task<response> call(request& r) = 0;
};

template <class F>
class route_handler_of final : public route_handler {
public:
    explicit route_handler_of(F f) : f_(std::move(f)) {}
    task<response> call(request& r) override { return f_(r); }

private:
    F f_;
};

template <class F>
concept callable_route = std::move_constructible<F> && requires(F& f, request& r) {
    { f(r) } -> std::same_as<task<response>>;
};

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
