#pragma once

#include <cstdint>

#include <rondo/time.hpp>

namespace rondo::inline v0 {

/// A clock for tests: it stands still while anything can run, and jumps to the next deadline when nothing can.
///
///     rondo::virtual_clock time;
///     rondo::run(rondo::runtime_options().clock(time), sleeper());  // a sleep of an hour takes no time
///
/// It waits for real operations and blocking calls that a job waits for; those hold time still. Lifetime: outlives the
/// run that uses it, and may be used by one run after another. Thread safety: one context.
class virtual_clock {
public:
    /// Starts at `start`, by default one second after the clock's epoch.
    explicit virtual_clock(time_point start = time_point(std::chrono::seconds(1))) noexcept
        : ns_(detail::to_ns(start.time_since_epoch())) {}
    virtual_clock(const virtual_clock&) = delete;
    virtual_clock& operator=(const virtual_clock&) = delete;

    time_point now() const noexcept { return time_point(duration(ns_)); }
    /// Moves time forward by hand; timers that become due fire on the context's next turn.
    template <class Rep, class Period>
    void advance(std::chrono::duration<Rep, Period> d) noexcept {
        ns_ = detail::add_saturated(ns_, detail::to_ns(d));
    }

    std::int64_t ns() const noexcept { return ns_; }
    /// Never backwards.
    void jump(std::int64_t ns) noexcept {
        if (ns > ns_) ns_ = ns;
    }

private:
    std::int64_t ns_;
};

}  // namespace rondo::inline v0
