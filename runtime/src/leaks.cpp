#include "leaks.hpp"

#include <atomic>

#include <rondo/detail/counters.hpp>

namespace rondo::inline v0::detail {

namespace {
constinit std::atomic<std::size_t> timers_left{0};
constinit std::atomic<std::size_t> jobs_left{0};
constinit std::atomic<std::ptrdiff_t> buffers_out{0};
constinit std::atomic<std::ptrdiff_t> permits_out{0};
}  // namespace

void note_leaks(std::size_t timers, std::size_t jobs) noexcept {
    timers_left.fetch_add(timers, std::memory_order_relaxed);
    jobs_left.fetch_add(jobs, std::memory_order_relaxed);
}

void note_buffers(std::ptrdiff_t change) noexcept { buffers_out.fetch_add(change, std::memory_order_relaxed); }

void note_permits(std::ptrdiff_t change) noexcept {
    if (change != 0) permits_out.fetch_add(change, std::memory_order_relaxed);
}

leak_counts count_leaks() noexcept {
    leak_counts c;
    c.timers = timers_left.load(std::memory_order_relaxed);
    c.jobs = jobs_left.load(std::memory_order_relaxed);
    c.buffers = static_cast<std::size_t>(buffers_out.load(std::memory_order_relaxed));
    c.permits = static_cast<std::size_t>(permits_out.load(std::memory_order_relaxed));
    return c;
}

}  // namespace rondo::inline v0::detail
