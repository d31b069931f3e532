#pragma once

#include <cstddef>

namespace rondo::inline v0 {
namespace testing {

/// What a simulated kernel does to a run beside choosing an order. Every frequency is "once in so many chances" under
/// seeds; 0, the default, is never. An exhaustive exploration tries each chance both ways, budget() times a run at
/// most.
class faults {
public:
    faults() noexcept {}

    /// A dose of everything, on small queues and buffers: what seeds are for.
    static faults all() noexcept {
        return faults()
            .short_transfers(3)
            .interrupts(6)
            .busy_submissions(6)
            .missing_buffers(6)
            .late_cancels(4)
            .ended_multishots(6)
            .queue_entries(4)
            .completion_entries(4)
            .socket_buffer(512);
    }

    /// A send, receive, read or write moves less than it could.
    faults& short_transfers(unsigned one_in) noexcept { return short_transfers_ = one_in, *this; }
    /// A wait in the kernel ends with EINTR.
    faults& interrupts(unsigned one_in) noexcept { return interrupts_ = one_in, *this; }
    /// The kernel takes a part of the submissions only, or none (EAGAIN).
    faults& busy_submissions(unsigned one_in) noexcept { return busy_submissions_ = one_in, *this; }
    /// A receive finds the buffer ring empty (ENOBUFS).
    faults& missing_buffers(unsigned one_in) noexcept { return missing_buffers_ = one_in, *this; }
    /// A cancel finds its operation running already: that one ends by itself, with its result or EINTR.
    faults& late_cancels(unsigned one_in) noexcept { return late_cancels_ = one_in, *this; }
    /// A multishot operation ends with a completion that has a result.
    faults& ended_multishots(unsigned one_in) noexcept { return ended_multishots_ = one_in, *this; }
    /// The kernel knows no buffer rings.
    faults& no_buffer_rings(bool on) noexcept { return no_buffer_rings_ = on, *this; }
    /// Entries of the submission queue at most (a power of two; default 64).
    faults& queue_entries(unsigned n) noexcept { return queue_entries_ = n, *this; }
    /// Entries of the completion queue (a power of two; default 256); more than those overflow.
    faults& completion_entries(unsigned n) noexcept { return completion_entries_ = n, *this; }
    /// Bytes on their way in one direction of a connection (default 64 KiB).
    faults& socket_buffer(std::size_t n) noexcept { return socket_buffer_ = n, *this; }
    /// Faults in one run of an exhaustive exploration (default 1).
    faults& budget(unsigned n) noexcept { return budget_ = n, *this; }
    /// How many times the kernel may be entered without delivering what is ready (default 3).
    faults& patience(unsigned n) noexcept { return patience_ = n, *this; }

    unsigned short_transfers() const noexcept { return short_transfers_; }
    unsigned interrupts() const noexcept { return interrupts_; }
    unsigned busy_submissions() const noexcept { return busy_submissions_; }
    unsigned missing_buffers() const noexcept { return missing_buffers_; }
    unsigned late_cancels() const noexcept { return late_cancels_; }
    unsigned ended_multishots() const noexcept { return ended_multishots_; }
    bool no_buffer_rings() const noexcept { return no_buffer_rings_; }
    unsigned queue_entries() const noexcept { return queue_entries_; }
    unsigned completion_entries() const noexcept { return completion_entries_; }
    std::size_t socket_buffer() const noexcept { return socket_buffer_; }
    unsigned budget() const noexcept { return budget_; }
    unsigned patience() const noexcept { return patience_; }

private:
    unsigned short_transfers_ = 0;
    unsigned interrupts_ = 0;
    unsigned busy_submissions_ = 0;
    unsigned missing_buffers_ = 0;
    unsigned late_cancels_ = 0;
    unsigned ended_multishots_ = 0;
    bool no_buffer_rings_ = false;
    unsigned queue_entries_ = 64;
    unsigned completion_entries_ = 256;
    std::size_t socket_buffer_ = 64 * 1024;
    unsigned budget_ = 1;
    unsigned patience_ = 3;
};

}  // namespace testing
}  // namespace rondo::inline v0
