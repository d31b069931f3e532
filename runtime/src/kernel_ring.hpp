#pragma once

#include "ring.hpp"

namespace rondo::inline v0::detail {

/// The real io_uring of this thread.
class kernel_ring final : public ring {
public:
    /// Who waits for completions: enter(), or poll and epoll on fd(), which does not see completions that the kernel
    /// defers until it is entered.
    enum class waiting { in_enter, on_fd };

    /// Throws errc::ring_unavailable, saying why and what to do.
    explicit kernel_ring(unsigned entries, waiting how = waiting::in_enter);
    ~kernel_ring() override;

    int enter(unsigned wait_for, const __kernel_timespec* limit) noexcept override;
    int register_buffers(io_uring_buf_reg& reg) noexcept override;
    int fd() const noexcept override { return ring_.ring_fd; }

private:
    void open(unsigned entries, waiting how);

    io_uring ring_{};
};

}  // namespace rondo::inline v0::detail
