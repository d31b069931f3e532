#include <rondo/interval.hpp>

#include <rondo/error.hpp>

#include "report_line.hpp"

namespace rondo::inline v0 {

interval::interval(duration period, missed_ticks missed) : period_(period.count()), missed_(missed) {
    if (period_ <= 0)
        throw error(fault(errc::invalid_argument, "interval")
                        .detail("a period longer than nothing, not " + detail::format_duration(period_)));
    next_ = detail::add_saturated(detail::clock_now(), period_);
}

interval& interval::at_once() noexcept {
    next_ = detail::clock_now();
    return *this;
}

std::uint64_t interval::advance() noexcept {
    const std::int64_t due = next_;
    const std::int64_t now = detail::clock_now();
    next_ = detail::add_saturated(missed_ == missed_ticks::delay ? now : due, period_);
    if (missed_ != missed_ticks::skip || next_ > now) return 0;
    const std::int64_t left_out = (now - due) / period_;
    next_ = due + (left_out + 1) * period_;
    return static_cast<std::uint64_t>(left_out);
}

}  // namespace rondo::inline v0
