// The counters behind rondo::metrics: written by the context's thread alone, read by any.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include <rondo/metrics.hpp>

namespace rondo::inline v0::detail {

/// One writer, so that a plain load and store do for an increment.
class meter {
public:
    void add(std::uint64_t n) noexcept { set(get() + n); }
    void set(std::uint64_t n) noexcept { value_.store(n, std::memory_order_relaxed); }
    std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// In a cache line of its own: others post to what lies around it.
struct alignas(64) meters {
    meter turns;
    meter full_turns;
    meter jobs_run;
    meter jobs_spawned;
    meter jobs_ended;
    meter budgets_spent;
    meter operations;
    meter completions;
    meter cancel_requests;
    meter enters;
    meter parks;
    meter messages;
    meter wakes;
    meter blocking_calls;
    meter buffers_exhausted;
    meter completion_overflows;
    meter timers_fired;
    std::array<meter, duration_histogram::size> timer_lateness;
    meter max_timer_lateness;
    meter total_timer_lateness;
    meter ready_now;
    meter timers_now;
    meter buffers_leased_now;

    void timer_fired(std::int64_t late) noexcept {
        const auto ns = static_cast<std::uint64_t>(late < 0 ? 0 : late);
        const auto index = static_cast<std::size_t>(std::bit_width(ns >> 10));
        timers_fired.add(1);
        timer_lateness[index < timer_lateness.size() ? index : timer_lateness.size() - 1].add(1);
        total_timer_lateness.add(ns);
        if (ns > max_timer_lateness.get()) max_timer_lateness.set(ns);
    }
    metrics snapshot() const noexcept;
};

}  // namespace rondo::inline v0::detail
