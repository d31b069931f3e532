// The one door through which other threads reach a context.
//
// A stack of messages, taken whole and reversed. `parked_` says that the owner sleeps in the kernel or is about to:
// only then does a post pay for a wake, and only the first of a burst does. Both sides are sequentially consistent:
// either the owner sees the message before it sleeps, or the poster sees that it is parked.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <rondo/detail/remote.hpp>

#include "meters.hpp"

namespace rondo::inline v0::detail {

class inbox {
public:
    inbox();
    ~inbox();
    inbox(const inbox&) = delete;
    inbox& operator=(const inbox&) = delete;

    void add_ref() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
    void add_outsider() noexcept {
        outsiders_.fetch_add(1, std::memory_order_relaxed);
        add_ref();
    }
    /// The last one may leave a parked owner with nothing to wait for; it has to look.
    void drop_outsider() noexcept {
        if (outsiders_.fetch_sub(1, std::memory_order_acq_rel) == 1) wake();
        drop_ref();
    }
    bool has_outsiders() const noexcept { return outsiders_.load(std::memory_order_acquire) != 0; }
    void drop_ref() noexcept {
        if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    /// False, with `n` untouched, when the owner has closed. After true `n`, and the handle through which the caller
    /// came here, may be gone. Any thread.
    bool post(remote_node& n) noexcept;

    // The owner's side.
    int wake_fd() const noexcept { return wake_fd_; }
    /// Of this context alone, for as long as the process lives.
    std::uint64_t number() const noexcept { return number_; }
    bool empty() const noexcept { return head_.load(std::memory_order_relaxed) == nullptr; }
    /// Runs what came; returns how many.
    std::size_t drain() noexcept;
    /// True when the owner may sleep; a message that came meanwhile makes it false.
    bool park() noexcept;
    /// Wakes the owner if it is parked, without a message. Any thread.
    void wake() noexcept;
    void unpark() noexcept { parked_.store(false, std::memory_order_relaxed); }
    /// Refuses later posts and runs what is left.
    void close() noexcept;
    bool is_closed() const noexcept { return head_.load(std::memory_order_relaxed) == &closed_; }

    /// Of its context; here because handles from anywhere keep the inbox.
    detail::meters meters;

private:
    struct reference {
        explicit reference(inbox& i) noexcept : to(i) { i.add_ref(); }
        ~reference() { to.drop_ref(); }
        reference(const reference&) = delete;
        reference& operator=(const reference&) = delete;
        inbox& to;
    };

    static std::size_t run_reversed(remote_node* n) noexcept;
    static remote_node closed_;

    std::atomic<remote_node*> head_{nullptr};
    std::atomic<bool> parked_{false};
    std::atomic<std::size_t> refs_{1};
    std::atomic<std::size_t> outsiders_{0};
    const std::uint64_t number_;
    int wake_fd_;
};

}  // namespace rondo::inline v0::detail
