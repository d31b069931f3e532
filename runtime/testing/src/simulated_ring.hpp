// A ring whose other end is a simulated kernel. Submissions become operations; whenever the ring is entered, the
// chooser picks which of those that could complete do, in which order, and how long that goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "open_file.hpp"
#include "ring.hpp"

namespace rondo::inline v0 {
namespace testing {

class simulated_kernel;

class simulated_ring final : public rondo::detail::ring {
public:
    simulated_ring(simulated_kernel& k, unsigned entries);
    ~simulated_ring() override;

    int enter(unsigned wait_for, const __kernel_timespec* limit) noexcept override;
    int register_buffers(io_uring_buf_reg& reg) noexcept override;
    bool keeps_time() const noexcept override { return true; }

private:
    /// What a submission entry says; the entry itself is the program's again once it was taken.
    struct submission {
        explicit submission(const io_uring_sqe& e) noexcept
            : opcode(e.opcode),
              flags(e.flags),
              ioprio(e.ioprio),
              buf_group(e.buf_group),
              fd(e.fd),
              len(e.len),
              op_flags(e.msg_flags),
              addr(e.addr),
              off(e.off),
              user_data(e.user_data) {}
        std::uint8_t opcode;
        std::uint8_t flags;
        std::uint16_t ioprio;
        std::uint16_t buf_group;
        std::int32_t fd;
        std::uint32_t len;
        std::uint32_t op_flags;  // of the operation: MSG_..., events to poll for, ...
        std::uint64_t addr;
        std::uint64_t off;
        std::uint64_t user_data;
    };
    struct operation {
        explicit operation(const submission& s) noexcept : sqe(s) {}
        submission sqe;
        std::shared_ptr<open_file> file;  // nullptr for a real descriptor
        std::string address;              // of a connect; the kernel copies it on submission
        std::size_t moved = 0;            // of a send that goes on after a part
        std::int64_t deadline = 0;        // of a timeout
        unsigned passed_over = 0;         // times it was ready and had to wait
        bool multishot = false;
        bool cancelled = false;    // completes with ECANCELED
        bool interrupted = false;  // a cancel came too late: completes with what it has, or EINTR
    };
    using operations = std::list<operation>;
    struct buffer_group {
        io_uring_buf_ring* entries = nullptr;
        unsigned count = 0;
        std::uint16_t head = 0;
    };

    // Submission.
    /// Takes what was submitted, or a part; returns how much.
    unsigned submit();
    void take(const submission& sqe);
    void start(operation&& op);
    void cancel(const submission& sqe);
    void remove_timeout(const submission& sqe);
    operations::iterator find_target(const submission& sqe);

    // Completion.
    bool is_ready(const operation& op) const;
    bool is_plain_ready(const operation& op) const;
    void complete(operations::iterator op);
    void finish(operations::iterator op, int res, unsigned flags = 0);
    void receive(operations::iterator op);
    void send(operations::iterator op);
    void post(std::uint64_t user_data, int res, unsigned flags);
    void flush_overflow();
    unsigned posted() const noexcept;
    std::size_t amount(std::size_t most);
    int pick_buffer(const operation& op, char*& into, std::size_t& size);
    bool wait_for_other_threads();
    std::int64_t next_timeout() const noexcept;
    void pass_over(const std::vector<operations::iterator>& ready);

    simulated_kernel& kernel_;
    operations in_flight_;  // in the order of submission
    std::map<std::uint16_t, buffer_group> buffers_;
    std::ptrdiff_t buffers_out_ = 0;

    // The memory that a real ring shares with the kernel.
    std::vector<io_uring_sqe> sqe_memory_;
    std::vector<io_uring_cqe> cqe_memory_;
    unsigned sq_head_value_ = 0;
    unsigned sq_tail_value_ = 0;
    unsigned sq_flags_value_ = 0;
    unsigned cq_head_value_ = 0;
    unsigned cq_tail_value_ = 0;
    unsigned cq_entries_ = 0;
    std::deque<io_uring_cqe> overflow_;
};

}  // namespace testing
}  // namespace rondo::inline v0
