// What a rondo task can await, and what comes out.
#pragma once

#include <type_traits>
#include <utility>

#include <rondo/detail/promise_base.hpp>

namespace rondo::inline v0 {

namespace detail {

template <class A>
struct await_result {};
template <class T>
struct await_result<task<T>> {
    using type = T;
};
template <native_operation Op>
struct await_result<Op> {
    using type = decltype(std::declval<Op&>().finish());
};
template <class A>
    requires(!native_operation<A> && requires(A& a) { a.operator co_await(); })
struct await_result<A> : await_result<decltype(std::declval<A&>().operator co_await())> {};
template <class A>
    requires(!native_operation<A> && !requires(A& a) { a.operator co_await(); } && foreign_awaiter_type<A>)
struct await_result<A> {
    using type = decltype(std::declval<A&>().await_resume());
};
template <class A>
using await_result_t = typename await_result<std::remove_cvref_t<A>>::type;

/// An operation that can be a combinator's child without a coroutine around it: it tells failure without throwing.
template <class A>
concept bare_operation = native_operation<A> && std::is_move_constructible_v<A> && requires(A& op) {
    { op.failed() } -> std::same_as<bool>;
    op.finish_result();
};

}  // namespace detail

/// Anything `co_await` takes inside a task<>.
template <class A>
concept awaitable = requires { typename detail::await_result_t<A>; };

}  // namespace rondo::inline v0
