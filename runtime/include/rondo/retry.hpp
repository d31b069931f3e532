#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <rondo/detail/at_least_one.hpp>
#include <rondo/error.hpp>
#include <rondo/sleep.hpp>
#include <rondo/task.hpp>
#include <rondo/this_job.hpp>

namespace rondo::inline v0 {

/// How often something is tried, and how long is waited in between: exponential backoff with full jitter (a random time
/// between nothing and the backoff, so that many who failed together do not come back together).
///
///     rondo::retry_policy().attempts(5).backoff(50ms, 2.0, 2s)
class RONDO_API retry_policy {
public:
    retry_policy() noexcept = default;

    /// The first one included (default 3). Errors: errc::invalid_argument for 0.
    retry_policy& attempts(unsigned n) { return attempts_ = detail::at_least_one(n, "attempts"), *this; }
    /// After the first failure `first` (default 100 ms), then `factor` times as long each time (default 2), at most
    /// `most` (default 10 s). Errors: errc::invalid_argument for negative times or a factor below 1.
    retry_policy& backoff(duration first, double factor, duration most);
    /// Waits for the whole backoff each time.
    retry_policy& no_jitter() noexcept { return jitter_ = false, *this; }
    /// Makes the jitter the same in every run, for tests.
    retry_policy& seed(std::uint64_t s) noexcept { return random_ = s | 1U, *this; }

    unsigned attempts() const noexcept { return attempts_; }
    /// How long to wait after the failure of this attempt, which counts from 1. Draws a new number each time.
    duration next_delay(unsigned attempt) noexcept;

private:
    unsigned attempts_ = 3;
    duration first_ = std::chrono::milliseconds(100);
    duration most_ = std::chrono::seconds(10);
    double factor_ = 2;
    bool jitter_ = true;
    std::uint64_t random_ = 0;  // 0: not seeded yet
};

namespace detail {

struct retry_always {
    bool operator()(const fault&) const noexcept { return true; }
};

template <class F>
struct attempt_task {
    using type = std::invoke_result_t<F&>;
};
template <class F>
    requires std::is_invocable_v<F&, unsigned>
struct attempt_task<F> {
    using type = std::invoke_result_t<F&, unsigned>;
};

/// Between two attempts: how long to wait, or nothing to give up.
class RONDO_API retry_state {
public:
    explicit retry_state(retry_policy p) noexcept : policy_(p) {}
    unsigned attempt() const noexcept { return attempt_; }
    /// The attempt ended with the exception that is being handled. False: it is to be thrown on.
    template <class Predicate>
    bool failed(Predicate& again) {
        failure_ = std::current_exception();
        fault_ = current_fault();
        const auto answer = again(static_cast<const fault&>(fault_));
        std::optional<duration> asked;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(answer)>, bool>) {
            if (!answer) return false;
        } else {
            if (!answer) return false;
            asked = *answer;
        }
        return plan(asked);
    }
    duration delay() const noexcept { return delay_; }
    [[noreturn]] void give_up() const;

private:
    bool plan(std::optional<duration> asked);

    retry_policy policy_;
    unsigned attempt_ = 1;
    duration delay_{};
    std::exception_ptr failure_;
    fault fault_;
    const char* why_ = "";
};

template <class F, class P>
typename attempt_task<F>::type retry_task(retry_policy policy, F fn, P again) {
    retry_state state(policy);
    for (;;) {
        bool once_more = false;
        try {
            if constexpr (std::is_invocable_v<F&, unsigned>) co_return co_await fn(state.attempt());
            else co_return co_await fn();
        } catch (const cancelled&) {
            throw;
        } catch (...) {
            once_more = state.failed(again);
        }
        if (!once_more) state.give_up();
        co_await sleep_for(state.delay());
    }
}

}  // namespace detail

/// Calls `fn`, a coroutine, until it succeeds, and gives what it gives.
///
///     auto r = co_await rondo::retry(rondo::retry_policy().attempts(5), [&] { return fetch(url); });
///
/// `fn` may take the number of the attempt, from 1. `again` is asked after each failure and gets its fault: it returns
/// a bool, or a std::optional<rondo::duration>: nothing means no, a time means to wait that long (what a server's
/// Retry-After says), in place of the backoff.
///
/// Errors: the last failure, which, when it is a rondo::error, says how many attempts were made. It is thrown at once
/// when the job's deadline comes before the next attempt would. Cancellation: ends it at once, between attempts too.
/// Lifetime: callables given as lvalues are referred to, others are moved in. Thread safety: one context.
template <class F, class P = detail::retry_always>
    requires detail::is_task<typename detail::attempt_task<std::remove_reference_t<F>>::type>::value
auto retry(retry_policy policy, F&& fn, P&& again = P()) {
    return detail::retry_task<F, P>(policy, std::forward<F>(fn), std::forward<P>(again));
}

}  // namespace rondo::inline v0
