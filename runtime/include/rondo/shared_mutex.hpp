// Many readers or one writer, across awaits.
#pragma once

#include <rondo/detail/permits.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

/// A lock that many readers share, or one writer has.
///
///     auto reading = co_await table.lock_shared();
///     auto writing = co_await table.lock();
///
/// First come, first served, so that nobody starves: a reader that comes while a writer waits is behind it, and readers
/// that stand next to each other in line go together. So a job that reads and wants to read once more may wait behind a
/// writer that waits for it: it does not lock twice.
///
/// Lifetime: outlives its waits and guards. Thread safety: one context.
class RONDO_API shared_mutex {
public:
    class guard;
    class shared_guard;
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] lock_operation;
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] lock_shared_operation;

    shared_mutex() noexcept : permits_("shared_mutex", everybody) {}
    shared_mutex(const shared_mutex&) = delete;
    shared_mutex& operator=(const shared_mutex&) = delete;

    /// Waits until nobody else has it. Cancellation: ends at once; those behind it go on.
    lock_operation lock(std::source_location where = std::source_location::current()) noexcept;
    /// Waits until no writer has it or is before this in line. Cancellation: ends at once.
    lock_shared_operation lock_shared(std::source_location where = std::source_location::current()) noexcept;
    /// Never waits: an empty guard when anybody has it, or waits for it.
    guard try_lock(std::source_location where = std::source_location::current()) noexcept;
    /// Never waits: an empty guard when a writer has it, or anybody waits for it.
    shared_guard try_lock_shared(std::source_location where = std::source_location::current()) noexcept;

    std::size_t readers() const noexcept { return is_locked() ? 0 : everybody - permits_.available(); }
    /// By a writer.
    bool is_locked() const noexcept { return permits_.available() == 0; }

private:
    // A writer takes all permits.
    static constexpr std::size_t everybody = std::size_t{1} << 30;

    detail::permits permits_;
};

/// Holds a shared_mutex alone; unlocks it where it ends. Lifetime: ends before the mutex.
class [[nodiscard("the lock is released where its guard ends: auto held = co_await m.lock();")]] shared_mutex::guard
    : private detail::held_permits {
public:
    /// Holds nothing.
    guard() noexcept = default;

    bool owns_lock() const noexcept { return from_ != nullptr; }
    explicit operator bool() const noexcept { return owns_lock(); }
    void unlock() noexcept { give_back(); }

private:
    friend class shared_mutex;
    explicit guard(detail::permits& from) noexcept : held_permits(from, everybody) {}
};

/// Shares a shared_mutex with other readers; lets go where it ends. Lifetime: ends before the mutex.
class [[nodiscard(
    "the lock is released where its guard ends: auto held = co_await m.lock_shared();")]] shared_mutex::shared_guard
    : private detail::held_permits {
public:
    /// Holds nothing.
    shared_guard() noexcept = default;

    bool owns_lock() const noexcept { return from_ != nullptr; }
    explicit operator bool() const noexcept { return owns_lock(); }
    void unlock() noexcept { give_back(); }

private:
    friend class shared_mutex;
    explicit shared_guard(detail::permits& from) noexcept : held_permits(from, 1) {}
};

class RONDO_API shared_mutex::lock_operation : public detail::permit_waiter {
public:
    lock_operation(detail::permits& p, std::source_location where) noexcept : permit_waiter(p, everybody, where) {}
    guard finish() noexcept { return guard(taken()); }
    result<guard> finish_result() noexcept { return finish(); }
};

class RONDO_API shared_mutex::lock_shared_operation : public detail::permit_waiter {
public:
    lock_shared_operation(detail::permits& p, std::source_location where) noexcept : permit_waiter(p, 1, where) {}
    shared_guard finish() noexcept { return shared_guard(taken()); }
    result<shared_guard> finish_result() noexcept { return finish(); }
};

inline shared_mutex::lock_operation shared_mutex::lock(std::source_location where) noexcept {
    return {permits_, where};
}
inline shared_mutex::lock_shared_operation shared_mutex::lock_shared(std::source_location where) noexcept {
    return {permits_, where};
}
inline shared_mutex::guard shared_mutex::try_lock(std::source_location where) noexcept {
    return permits_.try_take(everybody, where) ? guard(permits_) : guard();
}
inline shared_mutex::shared_guard shared_mutex::try_lock_shared(std::source_location where) noexcept {
    return permits_.try_take(1, where) ? shared_guard(permits_) : shared_guard();
}

}  // namespace rondo::inline v0
