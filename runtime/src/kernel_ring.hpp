#pragma once

#include "ring.hpp"

namespace rondo::inline v0::detail {

/// The real io_uring of this thread.
class kernel_ring final : public ring {
public:
    /// Who waits for completions: enter(), or poll and epoll on fd(), which does not see completions that the kernel
    /// defers until it is entered.
    enum class waiting { in_enter, on_fd };

    /// Throws errc::ring_unavailable, saying why and what to do. The environment's RONDO_DISABLE may name, with commas,
    /// what is not to be used though the kernel has it: defer_taskrun, buffer_ring.
    explicit kernel_ring(unsigned entries, waiting how = waiting::in_enter);
    ~kernel_ring() override;

    int enter(unsigned wait_for, const __kernel_timespec* limit) noexcept override;
    int register_buffers(io_uring_buf_reg& reg) noexcept override;
    int fd() const noexcept override { return ring_.ring_fd; }
    /// Completions are made only while this thread is in enter().
    bool defers_completions() const noexcept { return (ring_.flags & IORING_SETUP_DEFER_TASKRUN) != 0; }

private:
    void open(unsigned entries, waiting how);

    io_uring ring_{};
};

}  // namespace rondo::inline v0::detail
