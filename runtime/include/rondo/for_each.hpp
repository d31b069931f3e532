#pragma once

#include <cstddef>
#include <utility>

#include <rondo/detail/limited.hpp>

namespace rondo::inline v0 {

namespace detail {

template <class R, class F>
task<> for_each_task(R range, std::size_t limit, F fn) {
    check_limit(limit, "for_each");
    const auto call = [](std::size_t, auto& f, auto&& e) { return f(std::forward<decltype(e)>(e)); };
    limited_run<std::remove_reference_t<R>, std::remove_reference_t<F>, decltype(call)> all(range, limit, fn, call);
    co_await with_scope([&all](scope& s) { return all.body(s); });
}

}  // namespace detail

/// Calls `fn`, a coroutine, for every element of a range, with at most `limit` of them at work at once.
///
///     co_await rondo::for_each(urls, 8, [&](const std::string& url) -> rondo::task<> { … });
///
/// Elements are taken in order, each when there is room for it: the range may be lazy, or endless. As soon as one is
/// done the next is started, whatever becomes of its siblings.
///
/// Errors: errc::invalid_argument for a limit of 0; the first failure cancels what is at work, nothing more is started,
/// and it is thrown when all have ended. Cancellation: cancels what is at work and awaits it. Lifetime: a range or
/// callable given as an lvalue is referred to, others are moved in; `fn` may keep a reference to its element until it
/// ends. Thread safety: one context.
template <class R, class F>
    requires detail::limited_work<R, F>
task<> for_each(R&& range, std::size_t limit, F&& fn) {
    return detail::for_each_task<R, F>(std::forward<R>(range), limit, std::forward<F>(fn));
}

}  // namespace rondo::inline v0
