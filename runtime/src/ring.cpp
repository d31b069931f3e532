#include "ring.hpp"

#include <cstring>

namespace rondo::inline v0::detail {

io_uring_sqe* ring::entry() noexcept {
    if (pending() >= sq_entries_) return nullptr;
    io_uring_sqe* const sqe = &sqes_[sq_next_ & sq_mask_];
    ++sq_next_;
    std::memset(sqe, 0, sizeof *sqe);
    return sqe;
}

unsigned ring::pending() const noexcept { return sq_next_ - __atomic_load_n(sq_head_, __ATOMIC_ACQUIRE); }

unsigned ring::publish() noexcept {
    __atomic_store_n(sq_tail_, sq_next_, __ATOMIC_RELEASE);
    return pending();
}

bool ring::has_completions() const noexcept { return *cq_head_ != __atomic_load_n(cq_tail_, __ATOMIC_ACQUIRE); }

bool ring::has_overflowed() const noexcept {
    return (__atomic_load_n(sq_flags_, __ATOMIC_RELAXED) & IORING_SQ_CQ_OVERFLOW) != 0;
}

bool ring::needs_enter() const noexcept {
    return (__atomic_load_n(sq_flags_, __ATOMIC_RELAXED) & (IORING_SQ_CQ_OVERFLOW | IORING_SQ_TASKRUN)) != 0;
}

}  // namespace rondo::inline v0::detail
