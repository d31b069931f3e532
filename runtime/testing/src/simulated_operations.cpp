// How each operation of a simulated ring completes.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>

#include "simulated_kernel.hpp"
#include "simulated_ring.hpp"

namespace rondo::inline v0 {
namespace testing {

namespace {

char* memory(std::uint64_t address) noexcept { return reinterpret_cast<char*>(static_cast<std::uintptr_t>(address)); }

unsigned poll_events(const open_file& f, unsigned wanted) noexcept {
    unsigned events = 0;
    if (f.readable()) events |= POLLIN;
    if (f.writable()) events |= POLLOUT;
    return events & wanted;
}

}  // namespace

bool simulated_ring::is_ready(const operation& op) const {
    return op.cancelled || op.interrupted || is_plain_ready(op);
}

bool simulated_ring::is_plain_ready(const operation& op) const {
    switch (op.sqe.opcode) {
        case IORING_OP_TIMEOUT: return op.deadline <= kernel_.clock.ns();
        case IORING_OP_CONNECT: return kernel_.can_connect(op.address);
        case IORING_OP_RECV:
        case IORING_OP_ACCEPT: return op.file->readable();
        case IORING_OP_SEND: return op.sqe.len == 0 || op.file->writable();
        case IORING_OP_WRITE: return op.file->writable();
        case IORING_OP_POLL_ADD: return poll_events(*op.file, op.sqe.op_flags) != 0;
        case IORING_OP_READ: {
            if (op.file != nullptr) return op.file->readable();
            pollfd p{op.sqe.fd, POLLIN, 0};
            return ::poll(&p, 1, 0) == 1;
        }
        default: return true;
    }
}

void simulated_ring::finish(operations::iterator op, int res, unsigned flags) {
    const std::uint64_t user_data = op->sqe.user_data;
    if ((flags & IORING_CQE_F_MORE) == 0) {
        if (op->file != nullptr) --op->file->in_flight;
        in_flight_.erase(op);
    }
    post(user_data, res, flags);
}

std::size_t simulated_ring::amount(std::size_t most) {
    if (most <= 1 || !kernel_.choices.happens(kernel_.fault.short_transfers())) return most;
    if (kernel_.choices.is_exhaustive()) return 1;
    return 1 + kernel_.choices.pick(static_cast<unsigned>(most));
}

void simulated_ring::complete(operations::iterator op) {
    const submission& sqe = op->sqe;
    if (op->cancelled || (op->interrupted && !is_plain_ready(*op))) {
        // What a send had moved is its result, as in the kernel.
        if (op->moved != 0) return finish(op, static_cast<int>(op->moved));
        return finish(op, op->cancelled ? -ECANCELED : -EINTR);
    }
    switch (sqe.opcode) {
        case IORING_OP_TIMEOUT: return finish(op, -ETIME);
        case IORING_OP_CONNECT: return finish(op, kernel_.connect(*op->file, op->address));
        case IORING_OP_RECV: return receive(op);
        case IORING_OP_SEND: return send(op);
        case IORING_OP_POLL_ADD: return finish(op, static_cast<int>(poll_events(*op->file, sqe.op_flags)));
        case IORING_OP_ACCEPT: {
            const int fd = kernel_.accept(*op->file);
            const bool more = op->multishot && fd >= 0 && overflow_.empty() && posted() < cq_entries_ &&
                              !kernel_.choices.happens(kernel_.fault.ended_multishots());
            return finish(op, fd, more ? unsigned{IORING_CQE_F_MORE} : 0U);
        }
        case IORING_OP_READ: {
            if (op->file == nullptr) {
                const ssize_t n = ::read(sqe.fd, memory(sqe.addr), sqe.len);
                return finish(op, n < 0 ? -errno : static_cast<int>(n));
            }
            if (op->file->is != open_file::kind::file) return receive(op);
            return finish(op, op->file->read_at(sqe.off, memory(sqe.addr), amount(sqe.len)));
        }
        case IORING_OP_WRITE:
            if (op->file->is != open_file::kind::file) return send(op);
            return finish(op, op->file->write_at(sqe.off, memory(sqe.addr), amount(sqe.len)));
        default: return finish(op, 0);
    }
}

int simulated_ring::pick_buffer(const operation& op, char*& into, std::size_t& size) {
    const auto found = buffers_.find(op.sqe.buf_group);
    if (found == buffers_.end()) return -ENOBUFS;
    buffer_group& g = found->second;
    const std::uint16_t tail = __atomic_load_n(&g.entries->tail, __ATOMIC_ACQUIRE);
    if (tail == g.head || kernel_.choices.happens(kernel_.fault.missing_buffers())) return -ENOBUFS;
    const io_uring_buf& b = g.entries->bufs[g.head & (g.count - 1)];
    into = memory(b.addr);
    size = op.sqe.len != 0 ? std::min<std::size_t>(op.sqe.len, b.len) : b.len;
    return b.bid;
}

void simulated_ring::receive(operations::iterator op) {
    open_file& f = *op->file;
    char* into = memory(op->sqe.addr);
    std::size_t size = op->sqe.len;
    int buffer = -1;
    if ((op->sqe.flags & IOSQE_BUFFER_SELECT) != 0) {
        buffer = pick_buffer(*op, into, size);
        if (buffer < 0) return finish(op, buffer);
    }
    const std::size_t there = std::min(size, f.receivable());
    const int res = f.receive(into, there == 0 ? size : amount(there));
    if (res <= 0) return finish(op, res);
    unsigned flags = 0;
    if (buffer >= 0) {
        ++buffers_[op->sqe.buf_group].head;
        flags = IORING_CQE_F_BUFFER | static_cast<unsigned>(buffer) << IORING_CQE_BUFFER_SHIFT;
    }
    const bool more = op->multishot && overflow_.empty() && posted() < cq_entries_ &&
                      !kernel_.choices.happens(kernel_.fault.ended_multishots());
    finish(op, res, more ? flags | IORING_CQE_F_MORE : flags);
}

void simulated_ring::send(operations::iterator op) {
    open_file& f = *op->file;
    const std::size_t left = op->sqe.len - op->moved;
    const std::size_t room = std::min(left, f.room());
    const int res = f.send(memory(op->sqe.addr) + op->moved, room == 0 ? left : amount(room));
    if (res < 0) return finish(op, op->moved != 0 ? static_cast<int>(op->moved) : res);
    op->moved += static_cast<std::size_t>(res);
    const bool goes_on = op->sqe.opcode == IORING_OP_SEND && (op->sqe.op_flags & MSG_WAITALL) != 0;
    // Once there is room again; kernels before 5.19 give a part, as they do for a signal.
    if (goes_on && op->moved < op->sqe.len && !kernel_.choices.happens(kernel_.fault.short_transfers())) return;
    finish(op, static_cast<int>(op->moved));
}

}  // namespace testing
}  // namespace rondo::inline v0
