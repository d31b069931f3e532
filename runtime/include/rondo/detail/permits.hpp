// Permits, and the line of those who wait for some: what a mutex, a shared_mutex and a semaphore have in common.
//
// First come, first served. Who comes late passes nobody, also not one who waits for more than is there; and a permit
// that is given back goes to the first in line in that moment, so that nobody snatches it on the way.
#pragma once

#include <cstddef>
#include <source_location>
#include <utility>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/counters.hpp>
#include <rondo/detail/wait_list.hpp>

namespace rondo::inline v0::detail {

class permit_waiter;

inline void count_permits(std::ptrdiff_t change) noexcept {
    if (tls.context != nullptr) [[likely]]
        tls.permits += change;
    else note_permits(change);
}

class RONDO_API permits : private afterwards {
public:
    permits(const char* what, std::size_t n) noexcept
        : afterwards(&serve_later), what_(what), available_(n), total_(n) {}
    permits(const permits&) = delete;
    permits& operator=(const permits&) = delete;
    ~permits() {
        if (available_ != total_ || !waiters_.empty()) [[unlikely]]
            destroyed_in_use();
    }

    const char* what() const noexcept { return what_; }
    std::size_t available() const noexcept { return available_; }
    /// Available, and held.
    std::size_t total() const noexcept { return total_; }
    /// Where they were taken last.
    const std::source_location& taken_at() const noexcept { return taken_at_; }

    /// False when they are not there, or somebody waits.
    bool try_take(std::size_t n, const std::source_location& where) noexcept {
        look_at_thread();
        if (n > available_ || !waiters_.empty()) return false;
        take(n, where);
        return true;
    }
    void line_up(permit_waiter& w) noexcept;
    void give_back(std::size_t n) noexcept {
        look_at_thread();
        count_permits(-static_cast<std::ptrdiff_t>(n));
        available_ += n;
        if (!waiters_.empty()) serve();
    }
    /// Makes new ones.
    void add(std::size_t n) noexcept {
        look_at_thread();
        available_ += n;
        total_ += n;
        if (!waiters_.empty()) serve();
    }
    /// Held ones are no more.
    void forget(std::size_t n) noexcept {
        look_at_thread();
        count_permits(-static_cast<std::ptrdiff_t>(n));
        total_ -= n;
    }
    /// The first in line whose wait goes on, without its permits, or nullptr.
    permit_waiter* dismiss_first() noexcept;

private:
    friend class permit_waiter;

    static void serve_later(afterwards& a) noexcept;
    void take(std::size_t n, const std::source_location& where) noexcept {
        count_permits(static_cast<std::ptrdiff_t>(n));
        available_ -= n;
        taken_at_ = where;
    }
    void serve() noexcept;
    void look_at_thread() noexcept {
        if (checks_calls && thread_ != &tls) [[unlikely]]
            change_thread();
    }
    void change_thread() noexcept;
    void destroyed_in_use() const noexcept;

    wait_list waiters_;
    const char* const what_;
    std::size_t available_;
    std::size_t total_;
    std::source_location taken_at_;
    const thread_state* thread_ = nullptr;  // that used it first since nothing was held
};

struct permit_ops : leaf_ops {
    /// It has what it waited for, and is linked no more: takes note, and completes.
    void (*granted)(permit_waiter&) noexcept;
};

/// A wait for permits. It keeps what it was given until finish(): when its frame goes before that, it gives them back.
class RONDO_API permit_waiter : public list_waiter {
public:
    permit_waiter(permits& from, std::size_t n, std::source_location where) noexcept
        : permit_waiter(ops_table, from.what(), &from, n, where) {}
    permit_waiter(const permit_waiter& other) noexcept = default;  // before it begins
    permit_waiter& operator=(const permit_waiter&) = delete;
    ~permit_waiter() {
        if (taken_ || is_linked()) [[unlikely]]
            give_up();
    }

    bool begin() noexcept {
        if (from_->try_take(count_, where_)) {
            taken_ = true;
            return false;
        }
        from_->line_up(*this);
        return true;
    }
    bool failed() const noexcept { return false; }

protected:
    permit_waiter(const permit_ops& o, const char* what, permits* from, std::size_t n,
                  std::source_location where) noexcept
        : list_waiter(o, what), from_(from), count_(n), where_(where) {}

    /// What it waited for is the caller's.
    permits& taken() noexcept {
        taken_ = false;
        return *from_;
    }
    static bool is_forgotten(const leaf& l) noexcept { return l.waiting->leaf != &l; }
    static void cancel(leaf& l, worklist& list) noexcept;
    static void describe(const leaf& l, report_line& out);

    permits* from_;
    std::size_t count_;
    std::source_location where_;

private:
    friend class permits;
    static void granted(permit_waiter& w) noexcept;
    void give_up() noexcept;
    static const permit_ops ops_table;

    bool taken_ = false;
};

inline void permits::line_up(permit_waiter& w) noexcept { waiters_.push_back(w); }

/// Owns permits: the base of guards.
class RONDO_API held_permits {
public:
    held_permits() noexcept = default;
    held_permits(permits& from, std::size_t n) noexcept : from_(&from), count_(n) {}
    held_permits(held_permits&& other) noexcept
        : from_(std::exchange(other.from_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    held_permits& operator=(held_permits&& other) noexcept {
        if (this != &other) {
            give_back();
            from_ = std::exchange(other.from_, nullptr);
            count_ = std::exchange(other.count_, 0);
        }
        return *this;
    }
    ~held_permits() { give_back(); }

protected:
    void give_back() noexcept {
        if (from_ != nullptr) std::exchange(from_, nullptr)->give_back(std::exchange(count_, 0));
    }

    permits* from_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace rondo::inline v0::detail
