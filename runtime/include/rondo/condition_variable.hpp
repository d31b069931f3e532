// Waits, with a mutex unlocked meanwhile, until another job says that something changed.
#pragma once

#include <concepts>
#include <cstddef>
#include <source_location>
#include <utility>

#include <rondo/mutex.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0 {

/// For a state that a mutex protects across awaits.
///
///     auto held = co_await m.lock();
///     co_await changed.wait(held, [&] { return !queue.empty(); });
///     … changed.notify_one();            // in another job, which put something in
///
/// However a wait ends, by a notification, an exception or a cancel, its guard holds the mutex again: code that runs
/// then, destructors too, finds the state as it was protected. So a cancelled wait ends only when the mutex is free.
///
/// Lifetime: outlives its waits; so do the mutex and the guard, which stays where it is. Thread safety: one context.
class RONDO_API condition_variable {
public:
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] wait_operation;

    condition_variable() noexcept : owed_(*this) {}
    condition_variable(const condition_variable&) = delete;
    condition_variable& operator=(const condition_variable&) = delete;
    ~condition_variable() {
        if (detail::checks_calls && !waiters_.empty()) [[unlikely]]
            detail::destroyed_with_waiters("a condition_variable is destroyed while jobs wait for it");
    }

    /// Unlocks, waits for a notification, and locks again, behind those who wait for the mutex already. No wake-up is
    /// spurious, but what was notified may have been undone by the time the mutex is locked.
    ///
    /// Cancellation: locks again, then throws. A notification that came before the cancel is not lost: while the mutex
    /// is awaited it goes on to the next waiter; afterwards the wait returns, and the next one throws.
    wait_operation wait(mutex::guard& held, std::source_location where = std::source_location::current()) noexcept;

    /// Waits until `ready` is true, which is asked with the mutex locked. The same otherwise.
    template <class Predicate>
        requires requires(Predicate& p) {
            { p() } -> std::convertible_to<bool>;
        }
    task<> wait(mutex::guard& held, Predicate ready, std::source_location where = std::source_location::current());

    /// Wakes the first who waits, if anybody does. The mutex may be locked or not.
    void notify_one() noexcept;
    /// Wakes everybody who waits now.
    void notify_all() noexcept;

private:
    /// Notifications whose waiters were cancelled, for the next in line.
    struct owed_notifications : detail::afterwards {
        explicit owed_notifications(condition_variable& c) noexcept : afterwards(&pay), owner(&c) {}
        static void pay(afterwards& a) noexcept;

        condition_variable* const owner;
        std::size_t count = 0;
    };

    wait_operation* pop() noexcept;

    detail::wait_list waiters_;
    owed_notifications owed_;
};

class RONDO_API condition_variable::wait_operation : public detail::permit_waiter {
public:
    wait_operation(condition_variable& c, mutex::guard& held, std::source_location where) noexcept
        : permit_waiter(ops_table, "condition_variable", nullptr, 1, where), condition_(&c), guard_(&held) {}
    wait_operation(const wait_operation& other) noexcept = default;  // before it begins
    wait_operation& operator=(const wait_operation&) = delete;
    ~wait_operation() {
        if (hands_on_) [[unlikely]]
            condition_->notify_one();
    }

    bool begin() noexcept;
    void finish() noexcept { hands_on_ = false; }
    result<void> finish_result() noexcept { return finish(), result<void>(); }

private:
    friend class condition_variable;
    static void cancel(leaf& l, detail::worklist& list) noexcept;
    static void describe(const leaf& l, detail::report_line& out);
    static void granted(permit_waiter& w) noexcept;
    static const detail::permit_ops ops_table;
    void lock_again() noexcept;

    condition_variable* condition_;
    mutex::guard* guard_;
    bool notified_ = false;
    bool hands_on_ = false;  // notified as the only one, and the job does not know yet
    bool cancelled_ = false;
};

inline condition_variable::wait_operation condition_variable::wait(mutex::guard& held,
                                                                   std::source_location where) noexcept {
    return {*this, held, where};
}

template <class Predicate>
    requires requires(Predicate& p) {
        { p() } -> std::convertible_to<bool>;
    }
task<> condition_variable::wait(mutex::guard& held, Predicate ready, std::source_location where) {
    while (!ready()) co_await wait(held, where);
}

}  // namespace rondo::inline v0
