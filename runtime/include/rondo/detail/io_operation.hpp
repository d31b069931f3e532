// One request to the kernel and its completion, as a leaf. No kernel header is needed here: src/ fills in the entry.
//
// The life of one read: co_await -> operation_awaiter arms the leaf -> begin() writes a submission entry -> the loop
// submits it with its one system call -> the completion comes back through completed() -> the job is queued -> finish()
// gives the result. A cancel queues a second entry and leaves the leaf armed: only the operation's own completion ends
// it, and one that had a result keeps it.
#pragma once

#include <cassert>
#include <cstdint>

#include <rondo/detail/awaitable.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0::detail {

enum class io_code : std::uint8_t { nop, read, write, receive, send, accept, connect, poll };

/// The fields of a submission entry that we use. Everything it points to lives in the operation's owner until the
/// completion.
struct io_request {
    io_code code = io_code::nop;
    bool select_buffer = false;  // the kernel picks a buffer of the context's ring
    bool multishot = false;      // ... one after another, until a completion without IORING_CQE_F_MORE
    int fd = -1;
    const void* address = nullptr;
    std::uint32_t length = 0;
    std::uint32_t flags = 0;
    std::uint64_t offset = 0;
};

class io_operation;

struct io_ops : leaf_ops {
    /// Called for each completion, in place of the default when set.
    void (*completed)(io_operation&) noexcept;
};

class RONDO_API io_operation : public leaf {
public:
    /// Submits; the leaf is armed. Always suspends.
    bool begin() noexcept;
    /// Submits without a waiting job: a background operation, which holds neither the virtual clock nor the program.
    void begin_background() noexcept;
    /// Asks the kernel to end it. No effect when it is not in flight.
    void request_cancel() noexcept;
    bool in_flight() const noexcept { return in_flight_; }

    io_request request;
    std::int32_t res = 0;  // of the completion: a count, an fd, or -errno
    std::uint32_t cqe_flags = 0;

    // Links of the context's list of operations in flight, or of those that wait for a cancel entry.
    io_operation* prev = nullptr;
    io_operation* next = nullptr;

protected:
    explicit io_operation(const io_request& r) noexcept : leaf(ops_table), request(r) {}
    io_operation(const io_request& r, const io_ops& o) noexcept : leaf(o), request(r) {}
    io_operation(const io_operation&) = default;  // before it begins
    ~io_operation() { assert(!in_flight_ && "the kernel still writes into it"); }

    /// Its end was asked for since it was started.
    bool cancel_wanted() const noexcept { return cancel_wanted_; }
    /// The default completion: a cancelled job's -ECANCELED ends the wait as cancelled, anything else is a result.
    static void complete_wait(io_operation& op) noexcept;
    static void cancel(leaf& l, worklist&) noexcept;
    static void describe(const leaf& l, report_line& out);

private:
    friend class context;
    static const io_ops ops_table;

    bool in_flight_ = false;
    bool background_ = false;
    bool cancel_wanted_ = false;
    bool cancel_queued_ = false;  // no cancel entry was written yet
};

/// Does nothing, by way of the kernel: for benchmarks and tests of the ring.
class [[nodiscard("nothing happens until it is awaited: co_await it")]] nop_operation : public io_operation {
public:
    nop_operation() noexcept : io_operation(io_request()) {}
    void finish() const noexcept {}
    bool failed() const noexcept { return false; }
    result<void> finish_result() const noexcept { return {}; }
};

}  // namespace rondo::inline v0::detail
