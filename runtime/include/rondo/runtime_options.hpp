#pragma once

#include <cstdint>

#include <rondo/detail/at_least_one.hpp>
#include <rondo/export.hpp>
#include <rondo/time.hpp>

namespace rondo::inline v0 {

class virtual_clock;

namespace detail {
class sys;
/// The bit of a signal in a set. Throws errc::invalid_argument for a number that is none.
RONDO_API std::uint64_t signal_bit(int signal);
}  // namespace detail

/// Settings of a runtime. Every one has a default. Errors: errc::invalid_argument for a number that has to be at
/// least 1.
///
///     rondo::run(rondo::runtime_options().ring_entries(64), main_task());
class runtime_options {
public:
    runtime_options() noexcept {}

    /// Contexts, each with a thread and a ring of its own (default 1: that of the caller). See rondo::on. Not with a
    /// virtual clock or a simulated system, whose time is that of one context.
    runtime_options& threads(unsigned n) { return threads_ = detail::at_least_one(n, "threads"), *this; }
    /// Entries of the submission queue (default 256; rounded up to a power of two; fewer when memory is locked tight).
    runtime_options& ring_entries(unsigned n) { return ring_entries_ = detail::at_least_one(n, "ring_entries"), *this; }
    /// Threads of the pool behind `blocking`, which all contexts share (default 64, started on demand).
    runtime_options& blocking_threads(unsigned n) {
        return blocking_threads_ = detail::at_least_one(n, "blocking_threads"), *this;
    }
    /// How long jobs that are still alive after the main task may take to end (default 5 s).
    template <class Rep, class Period>
    runtime_options& grace(std::chrono::duration<Rep, Period> d) noexcept {
        return grace_ = to_duration(d), *this;
    }
    /// Signals that end `rondo::run` in order: the first of them cancels the main task (reason shutdown), which may
    /// take the grace period to end; after that it is reported with what it waits for, and destroyed. The second has
    /// its own effect at once. Default: none. One run of a process at a time; not for a runtime object, whose owner
    /// shuts it down.
    ///
    ///     rondo::run(rondo::runtime_options().stop_on(SIGINT, SIGTERM), serve());
    template <class... Signal>
    runtime_options& stop_on(Signal... signals) {
        ((stop_signals_ |= detail::signal_bit(signals)), ...);
        return *this;
    }
    /// Time is this object's; it outlives the run. Default: the machine's monotonic clock.
    runtime_options& clock(virtual_clock& c) noexcept { return clock_ = &c, *this; }

    /// The kernel to stand on; it outlives the run. Default: the real one. See rondo::testing::simulation.
    runtime_options& system(detail::sys& s) noexcept { return system_ = &s, *this; }

    unsigned threads() const noexcept { return threads_; }
    unsigned ring_entries() const noexcept { return ring_entries_; }
    unsigned blocking_threads() const noexcept { return blocking_threads_; }
    /// Bit n - 1 for signal n.
    std::uint64_t stop_signals() const noexcept { return stop_signals_; }
    duration grace() const noexcept { return grace_; }
    virtual_clock* clock() const noexcept { return clock_; }
    detail::sys* system() const noexcept { return system_; }

private:
    template <class D>
    static duration to_duration(D d) noexcept {
        return duration(detail::to_ns(d));
    }

    unsigned threads_ = 1;
    unsigned ring_entries_ = 256;
    unsigned blocking_threads_ = 64;
    std::uint64_t stop_signals_ = 0;
    duration grace_ = std::chrono::seconds(5);
    virtual_clock* clock_ = nullptr;
    detail::sys* system_ = nullptr;
};

}  // namespace rondo::inline v0
