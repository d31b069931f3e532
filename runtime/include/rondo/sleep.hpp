#pragma once

#include <cstdint>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/timer.hpp>
#include <rondo/result.hpp>
#include <rondo/time.hpp>

namespace rondo::inline v0 {

namespace detail {

class [[nodiscard("nothing happens until it is awaited: co_await it")]] RONDO_API sleep_operation : public leaf,
                                                                                                    public timer {
public:
    explicit sleep_operation(std::int64_t until) noexcept : leaf(ops_table), timer(&fired) { deadline = until; }
    sleep_operation(const sleep_operation&) = default;  // before it begins
    sleep_operation& operator=(const sleep_operation&) = delete;
    ~sleep_operation() {
        if (armed()) [[unlikely]]
            detail::disarm(*this);
    }

    bool at_once() const noexcept { return has_passed(timer_node::deadline); }
    void arm() noexcept { detail::arm(*this, timer_node::deadline); }
    void disarm() noexcept {
        if (armed()) detail::disarm(*this);
    }
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
detail::sleep_operation sleep_for(std::chrono::duration<Rep, Period> d) {
    return detail::sleep_operation(detail::add_saturated(detail::clock_now(), detail::to_ns(d)));
}

template <class N>
    requires std::is_arithmetic_v<N>
void sleep_for(N) {
    static_assert(detail::always_false<N>, "sleep_for: of what? Say the unit: sleep_for(5s), sleep_for(20ms)");
}

/// Waits until the clock reaches `t`. See sleep_for.
inline detail::sleep_operation sleep_until(time_point t) {
    static_cast<void>(detail::clock_now());  // so that the operation knows whether `t` has passed
    return detail::sleep_operation(detail::to_ns(t.time_since_epoch()));
}
template <class Clock, class Duration>
    requires(!std::is_same_v<Clock, clock>)
void sleep_until(std::chrono::time_point<Clock, Duration>) {
    static_assert(detail::always_false<Clock>,
                  "sleep_until: takes a rondo::time_point, of the steady clock; of another clock take the difference: "
                  "sleep_for(t - Clock::now())");
}

}  // namespace rondo::inline v0
