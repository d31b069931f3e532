#include <rondo/retry.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "report_line.hpp"

namespace rondo::inline v0 {

retry_policy& retry_policy::backoff(duration first, double factor, duration most) {
    const bool is_sound = first >= duration(0) && most >= duration(0) && factor >= 1;
    if (!is_sound)
        throw error(fault(errc::invalid_argument, "retry_policy::backoff")
                        .detail("times of 0 or more and a factor of 1 or more, not " +
                                detail::format_duration(first.count()) + ", " + std::to_string(factor) + ", " +
                                detail::format_duration(most.count())));
    first_ = first;
    factor_ = factor;
    most_ = most;
    return *this;
}

duration retry_policy::next_delay(unsigned attempt) noexcept {
    const double most = static_cast<double>(most_.count());
    const double whole =
        std::min(most, static_cast<double>(first_.count()) * std::pow(factor_, static_cast<double>(attempt) - 1));
    if (!jitter_) return duration(static_cast<std::int64_t>(whole));
    if (random_ == 0) random_ = std::random_device()() | 1U;
    random_ ^= random_ << 13U;  // Marsaglia's xorshift: the quality of jitter does not matter
    random_ ^= random_ >> 7U;
    random_ ^= random_ << 17U;
    const double share = static_cast<double>(random_ >> 11U) / 9007199254740992.0;  // 2^53
    return duration(static_cast<std::int64_t>(whole * share));
}

namespace detail {

bool retry_state::plan(std::optional<duration> asked) {
    if (attempt_ == policy_.attempts()) return false;
    delay_ = std::max(asked ? *asked : policy_.next_delay(attempt_), duration(0));
    if (const std::optional<time_point> end = this_job::deadline()) {
        if (end->time_since_epoch().count() <= add_saturated(clock_now(), delay_.count())) {
            why_ = ", the next would come after the deadline";
            return false;
        }
    }
    ++attempt_;
    return true;
}

void retry_state::give_up() const {
    try {
        std::rethrow_exception(failure_);
    } catch (const error& e) {
        fault f = e.fault();
        const std::string had(f.detail());
        f.detail(had + (had.empty() ? "" : "; ") + "attempt " + std::to_string(attempt_) + " of " +
                 std::to_string(policy_.attempts()) + why_);
        f.raise();
    }
}

}  // namespace detail

}  // namespace rondo::inline v0
