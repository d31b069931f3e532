// A job that waits for something that several contexts share: the wait is listed under a lock, and a message brings its
// end home.
#pragma once

#include <mutex>

#include <rondo/detail/job.hpp>
#include <rondo/detail/remote.hpp>

namespace rondo::inline v0::detail {

class shared_wait_list;

/// Whoever takes it off its list, under the lock, decides how it ends: with a message, or, on its own context, as
/// cancelled. So it is gone only when no message can come any more.
class RONDO_API shared_wait : public leaf, public remote_node {
public:
    shared_wait(const shared_wait&) = delete;
    shared_wait& operator=(const shared_wait&) = delete;

    /// Before its frame is destroyed: no message comes after those that are in the inbox. No effect on other leaves.
    static void withdraw(leaf& l) noexcept;

protected:
    shared_wait(std::mutex& lock, const char* what) noexcept
        : leaf(ops_table), remote_node(&came_home), lock_(&lock), what_(what) {}
    shared_wait(shared_wait&& other) noexcept  // before it begins
        : leaf(ops_table), remote_node(&came_home), lock_(other.lock_), what_(other.what_) {}
    ~shared_wait() = default;

    std::mutex* lock_;

private:
    friend class shared_wait_list;
    static void came_home(remote_node& n) noexcept;
    static void cancel(leaf& l, worklist&) noexcept;
    static void describe(const leaf& l, report_line& out);
    static const leaf_ops ops_table;

    const char* what_;
    shared_wait_list* list_ = nullptr;  // while it is listed
    shared_wait* prev_wait_ = nullptr;
    shared_wait* next_wait_ = nullptr;
    remote_context home_;
};

/// First come, first served. Everything under the lock of its owner.
class RONDO_API shared_wait_list {
public:
    bool empty() const noexcept { return first_ == nullptr; }
    shared_wait* first() const noexcept { return first_; }
    /// On the context of the job that waits.
    void push_back(shared_wait& w) noexcept;
    void remove(shared_wait& w) noexcept;
    /// Takes it off and ends its wait. False when its context has ended, and nothing came of it.
    bool wake(shared_wait& w) noexcept;

private:
    shared_wait* first_ = nullptr;
    shared_wait* last_ = nullptr;
};

}  // namespace rondo::inline v0::detail
