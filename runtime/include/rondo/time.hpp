#pragma once

#include <chrono>
#include <cstdint>

namespace rondo::inline v0 {

/// The runtime's clock: CLOCK_MONOTONIC, or a virtual clock that counts in the same type. It does not advance while the
/// machine is suspended.
using clock = std::chrono::steady_clock;
using time_point = clock::time_point;
using duration = std::chrono::nanoseconds;

namespace detail {

/// Nanoseconds since the clock's epoch, saturated instead of wrapped; a duration that is not a number is none.
template <class Rep, class Period>
constexpr std::int64_t to_ns(std::chrono::duration<Rep, Period> d) noexcept {
    using limit = std::chrono::duration<double, std::nano>;
    const double approx = limit(d).count();
    if (approx != approx) return 0;
    if (approx >= 9.2e18) return INT64_MAX;
    if (approx <= -9.2e18) return INT64_MIN;
    const auto ns = std::chrono::duration_cast<duration>(d);
    return (ns < d ? ns + duration(1) : ns).count();  // a part of a nanosecond still has to pass: never early
}

constexpr std::int64_t add_saturated(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

}  // namespace detail

}  // namespace rondo::inline v0
