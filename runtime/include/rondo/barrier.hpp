// Keeps jobs in step.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/wait_list.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

namespace detail {

class RONDO_API barrier_base {
public:
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] arrive_operation;

    barrier_base(const barrier_base&) = delete;
    barrier_base& operator=(const barrier_base&) = delete;

protected:
    barrier_base(std::size_t expected, void (*phase_ended)(barrier_base&) noexcept) noexcept
        : expected_(expected), left_(expected), phase_ended_(phase_ended) {}
    ~barrier_base() {
        if (checks_calls && !waiters_.empty()) [[unlikely]]
            destroyed_with_waiters("a barrier is destroyed while jobs wait at it");
    }
    /// True when the phase ended with it.
    bool arrive() noexcept;
    void drop() noexcept;

private:
    std::size_t expected_;
    std::size_t left_;  // to arrive in this phase
    void (*phase_ended_)(barrier_base&) noexcept;
    wait_list waiters_;
};

class RONDO_API barrier_base::arrive_operation : public list_waiter {
public:
    explicit arrive_operation(barrier_base& b) noexcept : list_waiter(ops_table, "barrier"), barrier_(&b) {}
    arrive_operation(const arrive_operation& other) noexcept = default;  // before it begins
    arrive_operation& operator=(const arrive_operation&) = delete;
    ~arrive_operation() { withdraw(); }

    bool begin() noexcept {
        if (barrier_->arrive()) return false;
        barrier_->waiters_.push_back(*this);
        return true;
    }
    void finish() const noexcept {}
    bool failed() const noexcept { return false; }
    result<void> finish_result() const noexcept { return {}; }

private:
    static void cancel(leaf& l, worklist&) noexcept;
    static void describe(const leaf& l, report_line& out);
    static const leaf_ops ops_table;
    void withdraw() noexcept {
        if (!is_linked()) return;
        disarm();
        ++barrier_->left_;
    }

    barrier_base* barrier_;
};

struct no_completion {
    void operator()() const noexcept {}
};

}  // namespace detail

/// A number of jobs meet, go on together, and meet again.
///
///     rondo::barrier step(3, [&]() noexcept { publish(); });
///     for (;;) {
///         work();
///         co_await step.arrive_and_wait();   // in each of three jobs
///     }
///
/// The completion function runs in the last job to arrive, before anybody goes on.
///
/// A job that is cancelled while it waits has not arrived: the phase waits for as many as before. One that leaves for
/// good says so with arrive_and_drop(), which never waits, so that it can be called while an exception passes.
///
/// Lifetime: outlives its waits. Thread safety: one context.
template <class Completion = detail::no_completion>
class barrier : public detail::barrier_base {
    static_assert(
        std::is_nothrow_invocable_v<Completion&>,
        "the completion function of a barrier takes nothing and is noexcept: nobody could catch what it throws");

public:
    explicit barrier(std::size_t expected, Completion f = Completion()) noexcept
        : barrier_base(expected, &phase_ended), completion_(std::move(f)) {}

    /// Arrives, and waits for the others. First come, first resumed; the last does not wait.
    ///
    /// Cancellation: takes the arrival back and ends at once, unless the phase ended before. A job that is cancelled
    /// before does not arrive.
    arrive_operation arrive_and_wait() noexcept { return arrive_operation(*this); }
    /// Arrives for this phase, and is not expected in those that follow. Never waits.
    void arrive_and_drop() noexcept { drop(); }

private:
    static void phase_ended(barrier_base& b) noexcept { static_cast<barrier&>(b).completion_(); }

    [[no_unique_address]] Completion completion_;
};

}  // namespace rondo::inline v0
