#pragma once

#include <cstdint>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/timer.hpp>
#include <rondo/result.hpp>
#include <rondo/time.hpp>

namespace rondo::inline v0 {

namespace detail {

class [[nodiscard]] RONDO_API sleep_operation : public leaf, public timer {
public:
    explicit sleep_operation(std::int64_t until) noexcept : leaf(ops_table), timer(&fired) { deadline = until; }

    bool begin() noexcept;
    void finish() noexcept {}
    bool failed() const noexcept { return false; }
    result<void> finish_result() const noexcept { return {}; }

private:
    static void fired(timer& t) noexcept;
    static void cancel(leaf& l, worklist& list) noexcept;
    static void describe(const leaf& l, report_line& out);
    static const leaf_ops ops_table;
};

}  // namespace detail

/// Waits at least this long; never less, and exact to the nanosecond in order: of two sleeps the one whose time comes
/// first ends first. Zero or less does not wait.
///
/// Cancellation: ends at once. Costs no system call and no kernel timer.
template <class Rep, class Period>
[[nodiscard]] detail::sleep_operation sleep_for(std::chrono::duration<Rep, Period> d) {
    return detail::sleep_operation(detail::add_saturated(detail::clock_now(), detail::to_ns(d)));
}

/// Waits until the clock reaches `t`. See sleep_for.
[[nodiscard]] inline detail::sleep_operation sleep_until(time_point t) {
    static_cast<void>(detail::clock_now());  // so that the operation knows whether `t` has passed
    return detail::sleep_operation(detail::to_ns(t.time_since_epoch()));
}

}  // namespace rondo::inline v0
