#include "simulated_ring.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>

#include "simulated_kernel.hpp"

namespace rondo::inline v0 {
namespace testing {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t second = 1'000'000'000;
// How long a run whose jobs all wait may be woken by other threads before it counts as a deadlock.
constexpr int other_threads_ms = 10'000;

}  // namespace

simulated_ring::simulated_ring(simulated_kernel& k, unsigned entries)
    : kernel_(k),
      sqe_memory_(std::bit_ceil(std::clamp(entries, 1U, k.fault.queue_entries()))),
      cqe_memory_(std::bit_ceil(std::max(k.fault.completion_entries(), 1U))) {
    sq_head_ = &sq_head_value_;
    sq_tail_ = &sq_tail_value_;
    sq_flags_ = &sq_flags_value_;
    sq_entries_ = static_cast<unsigned>(sqe_memory_.size());
    sq_mask_ = sq_entries_ - 1;
    sqes_ = sqe_memory_.data();
    cq_head_ = &cq_head_value_;
    cq_tail_ = &cq_tail_value_;
    cq_entries_ = static_cast<unsigned>(cqe_memory_.size());
    cq_mask_ = cq_entries_ - 1;
    cqes_ = cqe_memory_.data();
}

simulated_ring::~simulated_ring() {
    if (!in_flight_.empty()) kernel_.violation(std::to_string(in_flight_.size()) + " operations outlived their ring");
    for (operation& op : in_flight_) {
        if (op.file != nullptr) --op.file->in_flight;
    }
    std::ptrdiff_t back = 0;
    for (const auto& [id, group] : buffers_)
        back += static_cast<std::uint16_t>(__atomic_load_n(&group.entries->tail, __ATOMIC_ACQUIRE) - group.head);
    std::ptrdiff_t all = 0;
    for (const auto& [id, group] : buffers_) all += group.count;
    if (back != all) kernel_.violation(std::to_string(all - back) + " receive buffers were not given back");
}

int simulated_ring::register_buffers(io_uring_buf_reg& reg) noexcept {
    if (kernel_.fault.no_buffer_rings()) return -EINVAL;
    buffer_group& g = buffers_[reg.bgid];
    g.entries = reinterpret_cast<io_uring_buf_ring*>(static_cast<std::uintptr_t>(reg.ring_addr));
    g.count = reg.ring_entries;
    return 0;
}

// ---- entering

unsigned simulated_ring::posted() const noexcept { return cq_tail_value_ - cq_head_value_; }

std::int64_t simulated_ring::next_timeout() const noexcept {
    std::int64_t first = never;
    for (const operation& op : in_flight_) {
        if (op.sqe.opcode == IORING_OP_TIMEOUT && !op.cancelled) first = std::min(first, op.deadline);
    }
    return first;
}

int simulated_ring::enter(unsigned wait_for, const __kernel_timespec* limit) noexcept {
    const unsigned taken = submit();
    flush_overflow();
    if (pending() != 0) {  // the kernel does not wait then
        pass_over({});
        return taken == 0 ? -EAGAIN : 0;
    }
    if (wait_for != 0 && posted() < wait_for && kernel_.choices.happens(kernel_.fault.interrupts())) return -EINTR;

    const std::int64_t now = kernel_.clock.ns();
    const std::int64_t until = limit != nullptr ? now + limit->tv_sec * second + limit->tv_nsec : never;
    std::vector<operations::iterator> ready;
    for (;;) {
        ready.clear();
        bool overdue = false;
        for (auto op = in_flight_.begin(); op != in_flight_.end(); ++op) {
            if (!is_ready(*op)) continue;
            ready.push_back(op);
            overdue = overdue || op->passed_over >= kernel_.fault.patience();
        }
        // What may happen next: one of those completes, time passes, or the kernel returns.
        const std::int64_t timeout = next_timeout();
        const bool may_return = posted() >= wait_for && (!overdue || ready.empty());
        const bool may_wait = posted() < wait_for && (!overdue || ready.empty()) && std::min(until, timeout) != never;
        const auto count = static_cast<unsigned>(ready.size());
        if (count == 0 && !may_return && !may_wait) {
            if (!wait_for_other_threads()) return -ETIME;
            continue;
        }
        const unsigned choice = kernel_.choices.pick(count + (may_return ? 1 : 0) + (may_wait ? 1 : 0));
        if (choice < count) {
            complete(ready[choice]);
            continue;
        }
        if (may_return && choice == count) break;
        kernel_.clock.jump(std::min(until, timeout));
        if (timeout > until) {
            pass_over(ready);
            return -ETIME;
        }
    }
    pass_over(ready);
    return 0;
}

void simulated_ring::pass_over(const std::vector<operations::iterator>& ready) {
    for (const auto op : ready) ++op->passed_over;
    // A running job finds out by this that the kernel has something for it.
    const bool more = !in_flight_.empty();
    sq_flags_value_ =
        (more ? unsigned{IORING_SQ_TASKRUN} : 0U) | (overflow_.empty() ? 0U : unsigned{IORING_SQ_CQ_OVERFLOW});
}

bool simulated_ring::wait_for_other_threads() {
    std::vector<pollfd> fds;
    for (const operation& op : in_flight_) {
        if (op.file == nullptr && op.sqe.opcode == IORING_OP_READ) fds.push_back({op.sqe.fd, POLLIN, 0});
    }
    return !fds.empty() && ::poll(fds.data(), static_cast<nfds_t>(fds.size()), other_threads_ms) > 0;
}

// ---- submission

unsigned simulated_ring::submit() {
    unsigned left = publish();
    if (left != 0 && kernel_.choices.happens(kernel_.fault.busy_submissions())) left = kernel_.choices.pick(left);
    const unsigned taken = left;
    for (; left != 0; --left) {
        const submission sqe(sqes_[sq_head_value_ & sq_mask_]);
        ++sq_head_value_;
        take(sqe);
    }
    return taken;
}

void simulated_ring::take(const submission& sqe) {
    switch (sqe.opcode) {
        case IORING_OP_ASYNC_CANCEL: cancel(sqe); return;
        case IORING_OP_TIMEOUT_REMOVE: remove_timeout(sqe); return;
        default: break;
    }
    operation op(sqe);
    switch (sqe.opcode) {
        case IORING_OP_NOP: break;
        case IORING_OP_TIMEOUT: {
            const auto& t = *reinterpret_cast<const __kernel_timespec*>(static_cast<std::uintptr_t>(sqe.addr));
            op.deadline = t.tv_sec * second + t.tv_nsec;
            if ((sqe.op_flags & IORING_TIMEOUT_ABS) == 0) op.deadline += kernel_.clock.ns();
            break;
        }
        case IORING_OP_RECV:
        case IORING_OP_ACCEPT:
        case IORING_OP_READ:
        case IORING_OP_WRITE:
        case IORING_OP_SEND:
        case IORING_OP_CONNECT:
        case IORING_OP_POLL_ADD:
            if (sqe.fd >= simulated_kernel::first_fd) {
                op.file = kernel_.find(sqe.fd);
                if (op.file == nullptr) return post(sqe.user_data, -EBADF, 0);
            } else if (sqe.opcode != IORING_OP_READ) {
                kernel_.violation("fd " + std::to_string(sqe.fd) + " is not of the simulated kernel");
                return post(sqe.user_data, -EBADF, 0);
            }
            break;
        default: return post(sqe.user_data, -EINVAL, 0);
    }
    if (sqe.opcode == IORING_OP_CONNECT)
        op.address.assign(reinterpret_cast<const char*>(static_cast<std::uintptr_t>(sqe.addr)), sqe.off);
    op.multishot = (sqe.opcode == IORING_OP_RECV && (sqe.ioprio & IORING_RECV_MULTISHOT) != 0) ||
                   (sqe.opcode == IORING_OP_ACCEPT && (sqe.ioprio & IORING_ACCEPT_MULTISHOT) != 0);
    start(std::move(op));
}

void simulated_ring::start(operation&& op) {
    if (op.file != nullptr) ++op.file->in_flight;
    in_flight_.push_back(std::move(op));
}

simulated_ring::operations::iterator simulated_ring::find_target(const submission& sqe) {
    const bool by_fd = (sqe.op_flags & IORING_ASYNC_CANCEL_FD) != 0;
    return std::find_if(in_flight_.begin(), in_flight_.end(), [&](const operation& op) {
        if (op.cancelled || op.interrupted) return false;
        return by_fd ? op.sqe.opcode != IORING_OP_NOP && op.sqe.fd == sqe.fd : op.sqe.user_data == sqe.addr;
    });
}

void simulated_ring::cancel(const submission& sqe) {
    auto op = find_target(sqe);
    // One that could complete may do so in the moment of the cancel.
    if (op != in_flight_.end() && is_ready(*op) && kernel_.choices.pick(2) == 1) {
        complete(op);
        op = find_target(sqe);
    }
    if (op == in_flight_.end()) return post(sqe.user_data, -ENOENT, 0);
    if (kernel_.choices.happens(kernel_.fault.late_cancels())) {
        op->interrupted = true;
        return post(sqe.user_data, -EALREADY, 0);
    }
    op->cancelled = true;
    post(sqe.user_data, 0, 0);
}

void simulated_ring::remove_timeout(const submission& sqe) {
    const auto op = std::find_if(in_flight_.begin(), in_flight_.end(), [&sqe](const operation& o) {
        return o.sqe.opcode == IORING_OP_TIMEOUT && !o.cancelled && o.sqe.user_data == sqe.addr;
    });
    if (op == in_flight_.end()) return post(sqe.user_data, -ENOENT, 0);
    op->cancelled = true;
    post(sqe.user_data, 0, 0);
}

// ---- completions

void simulated_ring::post(std::uint64_t user_data, int res, unsigned flags) {
    io_uring_cqe cqe{};
    cqe.user_data = user_data;
    cqe.res = res;
    cqe.flags = flags;
    if (!overflow_.empty() || posted() == cq_entries_) {
        overflow_.push_back(cqe);
        return;
    }
    cqes_[cq_tail_value_ & cq_mask_] = cqe;
    ++cq_tail_value_;
}

void simulated_ring::flush_overflow() {
    while (!overflow_.empty() && posted() < cq_entries_) {
        cqes_[cq_tail_value_ & cq_mask_] = overflow_.front();
        ++cq_tail_value_;
        overflow_.pop_front();
    }
}

}  // namespace testing
}  // namespace rondo::inline v0
