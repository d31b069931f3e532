// The kernel seam: submission entries in, completions out. Nothing else in rondo knows io_uring.
//
// The queues are plain memory that this class reads and writes itself, so that a simulated kernel can stand behind the
// same queues; only enter() differs.
#pragma once

#include <liburing.h>
#include <cstddef>
#include <cstdint>

#include <rondo/export.hpp>

namespace rondo::inline v0::detail {

class RONDO_API ring {
public:
    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;
    virtual ~ring() = default;

    /// A cleared entry, or nullptr when the queue is full.
    io_uring_sqe* entry() noexcept;
    /// Entries written and not yet taken by the kernel.
    unsigned pending() const noexcept;
    /// Room for that many more entries.
    unsigned space() const noexcept { return sq_entries_ - pending(); }

    /// Submits everything and waits until `wait_for` completions are there or the time is up. Returns 0, or -errno
    /// (-ETIME: nothing came in time; -EINTR: a signal came).
    virtual int enter(unsigned wait_for, const __kernel_timespec* limit) noexcept = 0;
    virtual int register_buffers(io_uring_buf_reg& reg) noexcept = 0;
    /// Its enter() moves the clock of the run itself, so that a time limit costs no time, and gives -ETIME without a
    /// limit when nothing can come any more.
    virtual bool keeps_time() const noexcept { return false; }
    /// Raw ring fd for registrations, -1 when simulated.
    virtual int fd() const noexcept { return -1; }

    bool has_completions() const noexcept;
    /// The kernel holds completions back until it is entered.
    bool needs_enter() const noexcept;
    /// The kernel keeps completions for which the queue has no room.
    bool has_overflowed() const noexcept;
    /// Calls f(cqe) for each completion that is there; returns how many.
    template <class F>
    unsigned reap(F f) {
        unsigned head = *cq_head_;
        unsigned count = 0;
        while (head != __atomic_load_n(cq_tail_, __ATOMIC_ACQUIRE)) {
            const io_uring_cqe cqe = cqes_[head & cq_mask_];
            ++head;
            ++count;
            // Given back before f runs: f may need to enter the kernel for a free submission entry.
            __atomic_store_n(cq_head_, head, __ATOMIC_RELEASE);
            f(cqe);
            head = *cq_head_;
        }
        return count;
    }

protected:
    ring() = default;

    /// Publishes what entry() gave out; returns how many the kernel has not taken.
    unsigned publish() noexcept;

    unsigned* sq_head_ = nullptr;
    unsigned* sq_tail_ = nullptr;
    unsigned* sq_flags_ = nullptr;
    unsigned sq_mask_ = 0;
    unsigned sq_entries_ = 0;
    io_uring_sqe* sqes_ = nullptr;
    unsigned sq_next_ = 0;  // the tail as we see it; published on enter

    unsigned* cq_head_ = nullptr;
    unsigned* cq_tail_ = nullptr;
    unsigned cq_mask_ = 0;
    io_uring_cqe* cqes_ = nullptr;
};

}  // namespace rondo::inline v0::detail
