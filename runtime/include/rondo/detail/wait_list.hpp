// First come, first served: the waiters of an event, a join handle, a lock.
#pragma once

#include <cstddef>
#include <utility>

#include <rondo/detail/job.hpp>

namespace rondo::inline v0::detail {

class wait_list;

/// The job waits in a select, and this is the branch of it that happens.
RONDO_API void complete_select(leaf& branch) noexcept;

/// complete() for what can be a branch of a select too.
inline void wake(leaf& l) noexcept {
    if (l.waiting->leaf == &l) [[likely]]
        complete(l);
    else complete_select(l);
}

/// A leaf that a cancel unlinks at once.
class RONDO_API list_waiter : public leaf {
public:
    explicit list_waiter(const char* what) noexcept : leaf(ops_table), what_(what) {}
    list_waiter(const list_waiter& other) noexcept : leaf(other), what_(other.what_) {}  // before it begins
    list_waiter& operator=(const list_waiter&) = delete;
    inline ~list_waiter();

    /// Leaves the list, if it is in one.
    inline void disarm() noexcept;

protected:
    /// For leaves that end in another way, or have more to say.
    list_waiter(const leaf_ops& o, const char* what) noexcept : leaf(o), what_(what) {}

    const char* what() const noexcept { return what_; }
    bool is_linked() const noexcept { return list_ != nullptr; }

private:
    friend class wait_list;
    static void cancel(leaf& l, worklist&) noexcept;
    static void describe(const leaf& l, report_line& out);
    static const leaf_ops ops_table;

    const char* what_;
    list_waiter* next_ = nullptr;
    list_waiter* prev_ = nullptr;
    wait_list* list_ = nullptr;
};

/// For the destructors of what is waited for: says so and stops the program, but where stragglers are destroyed, which
/// happens in no order of theirs.
RONDO_API void destroyed_with_waiters(const char* what) noexcept;

class wait_list {
public:
    wait_list() noexcept = default;
    wait_list(const wait_list&) = delete;
    wait_list& operator=(const wait_list&) = delete;
    /// Who still waits is left alone, and may be cancelled.
    ~wait_list() {
        while (pop_front() != nullptr) {}
    }

    bool empty() const noexcept { return head_ == nullptr; }
    void push_back(list_waiter& w) noexcept {
        w.list_ = this;
        w.next_ = nullptr;
        if (head_ == nullptr) {
            head_ = w.prev_ = &w;
        } else {
            w.prev_ = std::exchange(head_->prev_, &w);
            w.prev_->next_ = &w;
        }
    }
    list_waiter* front() const noexcept { return head_; }
    list_waiter* pop_front() noexcept {
        list_waiter* const w = head_;
        if (w != nullptr) remove(*w);
        return w;
    }
    void remove(list_waiter& w) noexcept {
        if (&w == head_) head_ = w.next_;
        else w.prev_->next_ = w.next_;
        list_waiter* const after = w.next_ != nullptr ? w.next_ : head_;
        if (after != nullptr) after->prev_ = w.prev_;
        w.list_ = nullptr;
    }
    /// How many wait, but no more than `limit`.
    std::size_t count(std::size_t limit) const noexcept {
        std::size_t n = 0;
        for (const list_waiter* w = head_; w != nullptr && n < limit; w = w->next_) ++n;
        return n;
    }
    /// Ends every wait.
    void complete_all() noexcept {
        while (list_waiter* const w = pop_front()) wake(*w);
    }

private:
    list_waiter* head_ = nullptr;  // its prev_ is the last one: one word, for spawned jobs are many
};

void list_waiter::disarm() noexcept {
    if (list_ != nullptr) [[unlikely]]
        list_->remove(*this);
}

list_waiter::~list_waiter() { disarm(); }

}  // namespace rondo::inline v0::detail
