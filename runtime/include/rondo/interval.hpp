#pragma once

#include <cstdint>

#include <rondo/detail/timer.hpp>
#include <rondo/sleep.hpp>
#include <rondo/time.hpp>

namespace rondo::inline v0 {

/// What an interval does when whoever waits for its ticks comes late.
enum class missed_ticks : unsigned char {
    burst,  ///< the ticks it missed come at once, one after the other, until it has caught up: their number is right
    skip,   ///< they are left out; the next comes where it would have been: the rhythm is right
    delay,  ///< the next comes a whole period after this one: the distance is right
};

/// Ticks at a steady rate.
///
///     rondo::interval every(100ms);
///     for (;;) {
///         co_await every.tick();
///         co_await send_heartbeat();
///     }
///
/// The first tick comes a period after it was made. Ticks lie at whole periods from there, however long the work
/// between them takes: they do not drift. Errors of the constructor: errc::invalid_argument for a period that is not
/// positive. Thread safety: one context.
class RONDO_API interval {
public:
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] tick_operation;

    explicit interval(duration period, missed_ticks missed = missed_ticks::burst);

    /// The next tick comes now, and the others whole periods after it.
    interval& at_once() noexcept;
    duration period() const noexcept { return duration(period_); }

    /// Waits for the next tick, and gives the number of those that were left out before it (see missed_ticks::skip).
    ///
    /// Cancellation: ends at once; the tick is not lost. One job at a time.
    tick_operation tick() noexcept;

private:
    std::uint64_t advance() noexcept;

    std::int64_t period_;
    std::int64_t next_;
    missed_ticks missed_;
};

class RONDO_API interval::tick_operation : public detail::sleep_operation {
public:
    explicit tick_operation(interval& i) noexcept : sleep_operation(i.next_), interval_(&i) {}
    std::uint64_t finish() noexcept { return interval_->advance(); }
    result<std::uint64_t> finish_result() noexcept { return finish(); }

private:
    interval* interval_;
};

inline interval::tick_operation interval::tick() noexcept { return tick_operation(*this); }

}  // namespace rondo::inline v0
