// One thread's world: a ring, a ready queue (in thread_state while it runs), timers, and the jobs it owns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <rondo/detail/group.hpp>
#include <rondo/detail/io_operation.hpp>
#include <rondo/detail/spawned.hpp>
#include <rondo/detail/sys.hpp>
#include <rondo/detail/timer.hpp>
#include <rondo/runtime_options.hpp>

#include "blocking_pool.hpp"
#include "buffer_ring.hpp"
#include "inbox.hpp"
#include "ring.hpp"
#include "stragglers.hpp"
#include "timer_queue.hpp"

namespace rondo::inline v0::detail {

/// CLOCK_MONOTONIC, in nanoseconds.
std::int64_t monotonic() noexcept;
/// For what was shielded, after the grace period, and for the kernel to give back operations.
inline constexpr std::int64_t last_grace = 1'000'000'000;

class crew;
class submitted_list;

class context {
public:
    explicit context(const runtime_options& options);
    /// On this ring in place of the usual one.
    context(const runtime_options& options, std::unique_ptr<ring> r);
    ~context();
    context(const context&) = delete;
    context& operator=(const context&) = delete;

    /// Runs the main job to its end. Throws errc::deadlock when nothing can ever wake it again, and errc::cancelled
    /// when it was asked to stop and did not.
    void run(job& main, const bool& done);
    /// The message that asks run() to stop: cancels the main job.
    remote_node& stop_message() noexcept { return stop_message_; }
    /// Messages may come although nobody holds a reference to it.
    void listen() noexcept { listens_ = true; }
    /// Runs jobs that come from outside until `stop` is set.
    void serve(const bool& stop);
    /// Runs what is ready, without waiting, and gets ready for a wake from outside. True while jobs are left.
    bool poll();
    /// When poll() is to be called next although nothing came from outside; INT64_MAX for never.
    std::int64_t next_poll() noexcept;
    /// Cancels the spawned jobs that are left and waits for them, at most the grace period; reports those that stay.
    void drain(std::int64_t grace);
    bool is_shutting_down() const noexcept { return shutting_down_; }

    /// Reads the clock.
    std::int64_t now() noexcept;
    /// The last reading: not after now().
    std::int64_t recent() const noexcept { return recent_; }

    /// A job never had to wait for a whole budget of awaits. One that is cancelled and goes on like that is reported,
    /// once: it catches what is to end it.
    void budget_spent(job& j, const promise_base& at) noexcept;

    // Operations.
    void start(io_operation& op, bool background) noexcept;
    void cancel_operation(io_operation& op) noexcept;

    timer_queue& timers() noexcept { return timers_; }
    inbox& remote() noexcept { return *inbox_; }
    detail::meters& meters() noexcept { return inbox_->meters; }
    sys& calls() noexcept { return *sys_; }
    /// nullptr when there is no memory for them.
    buffer_ring* buffers() noexcept;
    blocking_pool& pool();

    /// From now on it is one of the crew's, and shares its pool; with nullptr it is alone. `list`: the tasks that
    /// others sent it.
    void take_part(crew* of, std::size_t index, submitted_list& list);
    crew* others() const noexcept { return crew_; }
    std::size_t index() const noexcept { return index_; }
    submitted_list& submissions() const noexcept { return *submissions_; }

    // Calls to the blocking pool that a job waits for.
    std::size_t blocking_calls = 0;

    void add_spawned(spawned_job& j) noexcept;
    void remove_spawned(spawned_job& j) noexcept;
    /// From its start until its last child ended. `owner` ends after the group; with nullptr, the run does.
    void add_group(group& g, job* owner) noexcept;
    /// The job has no group that still runs; if it has, they are cancelled and it ends with the last of them.
    bool may_end(job& j, promise_base& root) noexcept;
    void remove_group(group& g) noexcept;
    /// Ends a job whose coroutine is done, if that was its last group.
    void end_after_groups(job& j) noexcept;

    std::string dump();

private:
    struct operation_list {
        io_operation* first = nullptr;
        io_operation* last = nullptr;
    };

    /// One round: ready jobs, then, unless `stop` was set by them, completions and timers; sleeps in the kernel when
    /// nothing is ready. False: nothing can ever become ready.
    bool turn(const bool& stop);
    std::string describe_deadlock();
    void report_late(std::int64_t grace);
    void run_until_drained(std::int64_t limit);
    std::vector<job*> roots() const;
    void give_up_stragglers();
    /// Destroys the jobs and all they wait for, but the trees in which the kernel or another thread still writes.
    job_set destroy_trees(const std::vector<job*>& roots);
    void end_operations(const job_set& jobs);
    bool in_flight(const job_set& jobs, std::vector<io_operation*>& found) const;
    void forget_groups(const job_set& jobs) noexcept;
    void run_rest() noexcept;
    void close() noexcept;
    std::size_t spawned_count() const noexcept;
    void run_ready() noexcept;
    void poll_kernel() noexcept;
    bool wait();
    bool advance_clock(std::int64_t next) noexcept;
    bool anything_pending() const noexcept;
    /// False when the time was up first.
    bool enter_kernel(unsigned wait_for, const __kernel_timespec* limit) noexcept;
    void reap() noexcept;
    void fire_timers() noexcept;
    void submit_cancels() noexcept;
    io_uring_sqe& entry() noexcept;
    void completed(const io_uring_cqe& cqe) noexcept;
    static void append(operation_list& list, io_operation& op) noexcept;
    static void remove(operation_list& list, io_operation& op) noexcept;
    void arm_wake() noexcept;
    void note_drained() noexcept;
    void note_turn(unsigned ran) noexcept;
    bool take_messages() noexcept;
    void cancel_spawned(cancel_reason why) noexcept;
    void cancel_operations() noexcept;
    bool await_completions(std::int64_t until) noexcept;

    class wake_operation final : public io_operation {
    public:
        explicit wake_operation(context& c) noexcept;
        std::uint64_t count = 0;

    private:
        static void completed(io_operation& op) noexcept;
        static const io_ops ops_table;
    };

    struct stop_request : remote_node {
        explicit stop_request(context& c) noexcept : remote_node(&stop_request::came), target(&c) {}
        static void came(remote_node& n) noexcept { static_cast<stop_request&>(n).target->asked_to_stop_ = true; }
        context* const target;
    };

    runtime_options options_;
    sys* sys_;
    std::unique_ptr<ring> ring_;
    timer_queue timers_;
    std::int64_t recent_ = 0;
    inbox* inbox_;
    buffer_ring* buffers_ = nullptr;  // lives on while somebody holds a chunk
    std::shared_ptr<blocking_pool> pool_;
    crew* crew_ = nullptr;
    std::size_t index_ = 0;
    submitted_list* submissions_ = nullptr;
    job* main_ = nullptr;

    // An operation is in one of the two lists from its start to its last completion.
    operation_list in_flight_;
    operation_list to_cancel_;
    std::size_t foreground_ = 0;
    std::size_t background_ = 0;
    wake_operation wake_;

    spawned_job* spawned_ = nullptr;
    group* groups_ = nullptr;
    bool drained_ = true;  // neither is left
    destroyed_frames gone_;
    stop_request stop_message_{*this};
    bool asked_to_stop_ = false;
    bool listens_ = false;
    bool shutting_down_ = false;
    bool closed_ = false;  // no job runs any more
    bool clock_held_ = false;
    bool pool_stuck_ = false;  // a call of a straggler runs on and cannot be waited for
};

/// Makes the context this thread's for a while.
class activation {
public:
    explicit activation(context& c);
    /// The same for a context that is entered many times; `kept` holds its ready queue in between.
    activation(context& c, thread_state& kept);
    ~activation();
    activation(const activation&) = delete;
    activation& operator=(const activation&) = delete;

private:
    thread_state saved_;
    thread_state* kept_ = nullptr;
};

}  // namespace rondo::inline v0::detail
