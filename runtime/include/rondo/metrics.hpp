// What a context did so far, in numbers.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <rondo/export.hpp>

namespace rondo::inline v0 {

/// Counts of durations by powers of two: counts[0] are those under 1.024 us, counts[i] those from bound(i - 1) to under
/// bound(i), and the last holds the rest.
struct duration_histogram {
    static constexpr std::size_t size = 24;

    std::array<std::uint64_t, size> counts{};

    static constexpr std::chrono::nanoseconds bound(std::size_t index) noexcept {
        return std::chrono::nanoseconds(std::int64_t{1024} << index);
    }
    std::uint64_t total() const noexcept {
        std::uint64_t n = 0;
        for (const std::uint64_t c : counts) n += c;
        return n;
    }
    /// The bound below which that part of the durations lies: 0.99 for the 99th percentile. Zero when there are none.
    std::chrono::nanoseconds percentile(double part) const noexcept;
};

/// A snapshot of one context's counters; context::metrics() takes it. They only grow, but for those called "now".
struct metrics {
    std::uint64_t turns = 0;                 ///< rounds of the loop
    std::uint64_t full_turns = 0;            ///< turns that ended with jobs still ready: 256 are run in one
    std::uint64_t jobs_run = 0;              ///< times a ready job was resumed
    std::uint64_t jobs_spawned = 0;          ///< by spawn, a scope, or from another context
    std::uint64_t jobs_ended = 0;            ///< of those
    std::uint64_t budgets_spent = 0;         ///< jobs sent to the back of the queue after 128 awaits that did not wait
    std::uint64_t operations = 0;            ///< requests given to the kernel
    std::uint64_t completions = 0;           ///< answers of the kernel to them
    std::uint64_t cancel_requests = 0;       ///< requests to cancel one, sent to the kernel
    std::uint64_t enters = 0;                ///< system calls io_uring_enter
    std::uint64_t parks = 0;                 ///< those that were to sleep until something happens
    std::uint64_t messages = 0;              ///< from other threads and contexts
    std::uint64_t wakes = 0;                 ///< times such a message found the context asleep
    std::uint64_t blocking_calls = 0;        ///< given to the blocking pool
    std::uint64_t buffers_exhausted = 0;     ///< receives that found no free buffer, and brought their own
    std::uint64_t completion_overflows = 0;  ///< system calls that found the completion queue full; none is lost
    std::uint64_t timers_fired = 0;
    duration_histogram timer_lateness;  ///< from a timer's deadline to the moment it was fired; never early
    std::chrono::nanoseconds max_timer_lateness{0};
    std::chrono::nanoseconds total_timer_lateness{0};
    std::uint64_t ready_now = 0;           ///< jobs that the last turn found ready, at most 256
    std::uint64_t timers_now = 0;          ///< armed at the end of the last turn
    std::uint64_t buffers_leased_now = 0;  ///< receive buffers that chunks held at the end of the last turn
};

/// All contexts of the running job's runtime in the text form that Prometheus reads (text/plain; version=0.0.4), each
/// sample with the label context="0" and so on, and the memory for coroutine frames of the whole process. Counters end
/// in _total, durations are in seconds.
///
/// Errors: errc::no_context outside of a run. Thread safety: any context.
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/.
RONDO_API std::string prometheus_text();

}  // namespace rondo::inline v0
