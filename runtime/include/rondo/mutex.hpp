// Mutual exclusion between jobs of one context, across their awaits.
#pragma once

#include <rondo/detail/permits.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

/// One job at a time, from its co_await of lock() until its guard goes, whatever it awaits meanwhile.
///
///     rondo::mutex m;
///     auto held = co_await m.lock();
///     co_await socket.write_all(head);
///     co_await socket.write_all(body);   // nobody writes between the two
///
/// Jobs of one context run one at a time, so code without an await in it needs no lock. First come, first served: an
/// unlock hands the mutex to the first who waits, and nobody overtakes. Not recursive: a job that locks it twice waits
/// for itself, which ends the run with errc::deadlock when nothing else can end it.
///
/// Lifetime: outlives its waits and guards. Thread safety: one context.
class RONDO_API mutex {
public:
    class guard;
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] lock_operation;

    mutex() noexcept : permits_("mutex", 1) {}
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    /// Waits for its turn and gives a guard. `where` is shown to those who wait behind it, in dump_jobs().
    ///
    /// Cancellation: ends at once, and its turn passes to the next. A job that was granted the lock before the cancel
    /// came has it.
    lock_operation lock(std::source_location where = std::source_location::current()) noexcept;
    /// Never waits: an empty guard when it is locked.
    guard try_lock(std::source_location where = std::source_location::current()) noexcept;

    bool is_locked() const noexcept { return permits_.available() == 0; }

private:
    detail::permits permits_;
};

/// Holds a mutex; unlocks it where it ends. Lifetime: ends before the mutex.
class [[nodiscard("the lock is released where its guard ends: auto held = co_await m.lock();")]] mutex::guard
    : private detail::held_permits {
public:
    /// Holds nothing.
    guard() noexcept = default;

    bool owns_lock() const noexcept { return from_ != nullptr; }
    explicit operator bool() const noexcept { return owns_lock(); }
    /// Unlocks now. The next who waits has it at once, and runs when this job waits.
    void unlock() noexcept { give_back(); }

private:
    friend class mutex;
    friend class condition_variable;
    explicit guard(detail::permits& from) noexcept : held_permits(from, 1) {}
};

class RONDO_API mutex::lock_operation : public detail::permit_waiter {
public:
    lock_operation(detail::permits& p, std::source_location where) noexcept : permit_waiter(p, 1, where) {}
    guard finish() noexcept { return guard(taken()); }
    result<guard> finish_result() noexcept { return finish(); }
};

inline mutex::lock_operation mutex::lock(std::source_location where) noexcept { return {permits_, where}; }

inline mutex::guard mutex::try_lock(std::source_location where) noexcept {
    return permits_.try_take(1, where) ? guard(permits_) : guard();
}

}  // namespace rondo::inline v0
