#pragma once

#include <optional>
#include <utility>

#include <rondo/as_result.hpp>
#include <rondo/detail/nonvoid.hpp>
#include <rondo/report.hpp>
#include <rondo/shield.hpp>
#include <rondo/with_timeout.hpp>

namespace rondo::inline v0 {

/// Runs `work` and then, whatever became of it, `cleanup`: what a destructor cannot do, because it cannot wait.
///
///     co_await rondo::finally(use(session), session.quit(), 2s);
///
/// The clean-up runs shielded: a cancelled job still does it, for at most `grace`. Gives what `work` gives.
/// Errors: those of `work`; else those of `cleanup`, timed_out included. When both fail the clean-up's goes to
/// on_report. Cancellation: of `work`; thrown on after the clean-up. Lifetime: it owns both. Thread safety: one
/// context.
template <class A, class C>
    requires awaitable<A> && awaitable<C>
task<detail::await_result_t<A>> finally(A work, C cleanup, duration grace = std::chrono::seconds(5)) {
    using value = detail::await_result_t<A>;
    std::optional<result<value>> outcome;
    bool was_cancelled = false;
    try {
        outcome.emplace(co_await as_result(std::move(work)));
    } catch (const cancelled&) {
        was_cancelled = true;
    }
    auto guarded = with_timeout(grace, std::move(cleanup));
    auto cleaned = co_await as_result(shield(std::move(guarded)));
    if (was_cancelled || !outcome->has_value()) {
        if (!cleaned) report("clean-up failed after its work did: " + cleaned.error().text());
        if (was_cancelled) detail::throw_cancelled();
        outcome->error().raise();
    }
    if (!cleaned) cleaned.error().raise();
    if constexpr (!std::is_void_v<value>) co_return *std::move(*outcome);
}

}  // namespace rondo::inline v0
