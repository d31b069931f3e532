// A signal between jobs of one context.
//
// Waiters form a list threaded through their own coroutine frames, so waiting allocates nothing.
#pragma once

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/wait_list.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

/// Wakes every job that waits for one thing to happen.
///
///     rondo::event ready;
///     … co_await ready.wait();   // in one job
///     ready.set();               // in another
///
/// Lifetime: outlives its waits. Thread safety: one context.
class RONDO_API event {
public:
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] wait_operation;

    event() noexcept = default;
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    bool is_set() const noexcept { return set_; }
    /// Marks it and queues all waiters, first come first resumed; they run after this job waits, never inside the call.
    void set() noexcept;
    /// Later waits wait again.
    void reset() noexcept { set_ = false; }

    /// Returns at once when it is set. Cancellation: ends at once.
    wait_operation wait() noexcept;

private:
    bool set_ = false;
    detail::wait_list waiters_;
};

class RONDO_API event::wait_operation : public detail::list_waiter {
public:
    explicit wait_operation(event& e) noexcept : list_waiter("event"), event_(&e) {}

    bool at_once() const noexcept { return event_->set_; }
    void arm() noexcept { event_->waiters_.push_back(*this); }
    bool begin() noexcept {
        if (at_once()) return false;
        arm();
        return true;
    }
    void finish() const noexcept {}
    bool failed() const noexcept { return false; }
    result<void> finish_result() const noexcept { return {}; }

private:
    event* event_;
};

inline event::wait_operation event::wait() noexcept { return wait_operation(*this); }

}  // namespace rondo::inline v0
