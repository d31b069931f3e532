// Waits until a number of things happened, once.
#pragma once

#include <cstddef>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/wait_list.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

/// Counts down to zero, once, and lets everybody go.
///
///     rondo::latch ready(3);
///     … ready.count_down();       // in each of three jobs
///     co_await ready.wait();
///
/// Lifetime: outlives its waits. Thread safety: one context.
class RONDO_API latch {
public:
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] wait_operation;

    explicit latch(std::size_t expected) noexcept : left_(expected) {}
    latch(const latch&) = delete;
    latch& operator=(const latch&) = delete;
    ~latch() {
        if (detail::checks_calls && !waiters_.empty()) [[unlikely]]
            detail::destroyed_with_waiters("a latch is destroyed while jobs wait for it");
    }

    /// At zero all waiters are queued, first come first resumed. By more than is left: a programmer error.
    void count_down(std::size_t n = 1) noexcept {
        if (n > left_) [[unlikely]]
            too_many();
        left_ -= n;
        if (left_ == 0) waiters_.complete_all();
    }
    /// Whether it is at zero.
    bool try_wait() const noexcept { return left_ == 0; }

    /// Returns at once when it is at zero. Cancellation: ends at once.
    wait_operation wait() noexcept;
    /// Counts down, and waits.
    ///
    /// Cancellation: ends the wait at once; what was counted stays counted. A job that is cancelled before does not
    /// count: where it has to, it calls count_down(), which never waits.
    wait_operation arrive_and_wait(std::size_t n = 1) noexcept;

private:
    [[noreturn]] static void too_many() noexcept;

    std::size_t left_;
    detail::wait_list waiters_;
};

class RONDO_API latch::wait_operation : public detail::list_waiter {
public:
    wait_operation(latch& l, std::size_t n) noexcept : list_waiter("latch"), latch_(&l), arrives_(n) {}

    bool begin() noexcept {
        latch_->count_down(arrives_);
        if (latch_->try_wait()) return false;
        latch_->waiters_.push_back(*this);
        return true;
    }
    void finish() const noexcept {}
    bool failed() const noexcept { return false; }
    result<void> finish_result() const noexcept { return {}; }

private:
    latch* latch_;
    std::size_t arrives_;
};

inline latch::wait_operation latch::wait() noexcept { return {*this, 0}; }
inline latch::wait_operation latch::arrive_and_wait(std::size_t n) noexcept { return {*this, n}; }

}  // namespace rondo::inline v0
