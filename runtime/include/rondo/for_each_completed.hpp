#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include <rondo/as_completed.hpp>

namespace rondo::inline v0 {

/// Starts all tasks of a range and calls `fn(index, result)` for each end, in completion order; a `false` from fn ends
/// it early. Returns when every child has ended: those left are cancelled and awaited.
///
///     co_await rondo::for_each_completed(std::move(tasks), [&](std::size_t i, rondo::result<int> r) { … });
///
/// `fn` is a plain function, called on this job. Errors: what fn throws, after the children have ended.
/// Cancellation: cancels the children and awaits them. Lifetime: children may refer to the caller's locals.
template <class R, class F>
    requires detail::awaitable_range<R>
task<void> for_each_completed(R range, F fn) {
    auto stream = as_completed(std::move(range));
    std::exception_ptr failure;
    bool was_cancelled = false;
    try {
        for (;;) {
            auto done = co_await stream.next();
            if (!done) break;
            using returned = std::invoke_result_t<F&, std::size_t, decltype(done->second)>;
            if constexpr (std::is_void_v<returned>) {
                fn(done->first, std::move(done->second));
            } else {
                if (!fn(done->first, std::move(done->second))) break;
            }
        }
    } catch (const cancelled&) {
        was_cancelled = true;
    } catch (...) {
        failure = std::current_exception();
    }
    co_await stream.finish();
    if (was_cancelled) detail::throw_cancelled();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace rondo::inline v0
