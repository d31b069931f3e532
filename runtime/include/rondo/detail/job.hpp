// Job and leaf: who runs, and the one thing a suspended job waits for.
//
//   job.leaf == nullptr   the job runs, is in the ready queue, or is done
//   job.leaf == &l        suspended; only l's completer, or a cancel through l.ops, may end the wait
//
//   l.waiting == job      armed, or completed with a result
//   l.waiting == nullptr  never armed, or the wait ended as cancelled
//
// The completer clears job.leaf and queues the job, exactly once. Cancel never resumes anything: it marks jobs and asks
// leaves to end. docs/design/cancellation.md has the table of states.
#pragma once

#include <cassert>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <utility>

#include <rondo/cancelled.hpp>
#include <rondo/detail/leaf_watch.hpp>
#include <rondo/detail/programmer_error.hpp>
#include <rondo/export.hpp>

namespace rondo::inline v0::detail {

class context;
class destroyed_frames;
class report_line;
struct job;
struct leaf;
struct promise_base;

/// What is to be done when everything on a worklist was cancelled. A wait that ends may let others through: not before
/// it is known which of those end as well.
struct afterwards {
    constexpr explicit afterwards(void (*f)(afterwards&) noexcept) noexcept : run(f) {}
    afterwards(const afterwards&) = delete;
    afterwards& operator=(const afterwards&) = delete;

    void (*run)(afterwards&) noexcept;
    afterwards* next = nullptr;
    bool listed = false;
};

/// Jobs on their way to be cancelled. Walking it instead of recursing keeps the stack flat for trees of any depth.
class worklist {
public:
    /// Marks the job; its leaf, if it has one, is asked to end later. A second mark is ignored: the first reason wins.
    inline void add(job& j, cancel_reason why) noexcept;
    job* pop() noexcept;

    /// Runs it once, when the list is empty. It may complete leaves, and cancels none.
    inline void later(afterwards& a) noexcept;
    void run_later() noexcept;

private:
    job* head_ = nullptr;
    job* tail_ = nullptr;
    afterwards* later_ = nullptr;
};

struct leaf_ops {
    /// Ends the wait at once (timers, locks) or asks for its end (operations, children).
    void (*cancel)(leaf&, worklist&) noexcept;
    /// What the job waits for, for dumps.
    void (*describe)(const leaf&, report_line&);
};

struct leaf {
    constexpr explicit leaf(const leaf_ops& o) noexcept : ops(&o) {}

    const leaf_ops* ops;
    job* waiting = nullptr;
};

/// How a settled child or operation ended.
enum class settled : unsigned char { pending, value, error, cancelled };

struct job_ops {
    /// The job's coroutine reached its end; `root` holds the outcome. May free the job.
    void (*finish)(job&, promise_base& root) noexcept;
    /// The loop popped the job and it has no suspended coroutine: a start that was put off, or a bare operation's end.
    void (*run)(job&) noexcept;
    /// The leaf whose wait contains this job, or nullptr: it leads up the tree.
    const leaf* (*within)(const job&) noexcept;
    /// Its name and the children it waits for are found by dumps through this.
    void (*describe)(const job&, report_line&);
    /// Of a job that is nobody's child.
    const char* (*name)(const job&) noexcept = nullptr;
};

struct job {
    constexpr explicit job(const job_ops& o) noexcept : ops(&o) {}

    job* queue_next = nullptr;
    promise_base* top = nullptr;  // innermost suspended coroutine
    detail::leaf* leaf = nullptr;
    const job_ops* ops;
    cancel_reason reason = cancel_reason::none;
    settled state = settled::pending;  // how it ended
    bool ending = false;               // its coroutine, which is `top` again, is done, and its groups still run
    bool started = false;
    std::uint32_t groups : 24 = 0;    // that it made (as_completed) and that still run; it ends after them
    std::uint32_t swallowed : 8 = 0;  // budgets it spent after it was cancelled, see context::budget_spent
};

/// Per thread; a context that runs here owns it. One definition, in src/thread_state.cpp.
struct thread_state {
    std::coroutine_handle<> next;  // the trampoline: what the door resumes next
    job* current = nullptr;
    job* ready_head = nullptr;
    job* ready_tail = nullptr;
    detail::context* context = nullptr;
    std::source_location called_at;         // the await that called last; names the culprit when a body was dropped
    destroyed_frames* destroyed = nullptr;  // set while stragglers are destroyed, see src/stragglers.cpp
    unsigned depth = 0;                     // nesting of inline starts
    unsigned budget = 0;                    // waits that may still be skipped before the job has to let others run
    leaf_watch* watch = nullptr;            // of the context, in tests of the runtime itself
    bool progressed = false;                // the job that entered the door waits, is queued, or is done
    std::ptrdiff_t permits = 0;             // taken here and not given back: locks, permits of semaphores
};
RONDO_API extern constinit thread_local thread_state tls;

inline constexpr unsigned max_inline_depth = 32;
inline constexpr unsigned ready_budget = 128;

inline constexpr const char* wrong_thread =
    "a job was woken or cancelled on a thread that does not run it: from other threads settle a promise, or use a "
    "cancel_source";

/// Appends to this thread's ready queue.
inline void make_ready(job& j) noexcept {
    if (checks_calls && tls.context == nullptr) [[unlikely]]
        programmer_error(wrong_thread);
    j.queue_next = nullptr;
    if (tls.ready_tail != nullptr) tls.ready_tail->queue_next = &j;
    else tls.ready_head = &j;
    tls.ready_tail = &j;
}

inline void worklist::add(job& j, cancel_reason why) noexcept {
    RONDO_LEAF_EVENT(cancel, j);
    if (j.reason != cancel_reason::none) return;
    j.reason = why;
    if (j.leaf == nullptr) return;  // running or queued: its next wait ends
    j.queue_next = nullptr;
    (tail_ != nullptr ? tail_->queue_next : head_) = &j;
    tail_ = &j;
}

inline void worklist::later(afterwards& a) noexcept {
    if (std::exchange(a.listed, true)) return;
    a.next = later_;
    later_ = &a;
}

/// The wait is over and has a result.
inline void complete(leaf& l) noexcept {
    assert(l.waiting != nullptr && l.waiting->leaf == &l && "a leaf completes once, while it is armed");
    job& j = *l.waiting;
    RONDO_LEAF_EVENT(result, j);
    j.leaf = nullptr;
    make_ready(j);
}

/// The wait ended because the job was cancelled.
inline void complete_cancelled(leaf& l) noexcept {
    assert(l.waiting != nullptr && l.waiting->leaf == &l && "a leaf completes once, while it is armed");
    assert(l.waiting->reason != cancel_reason::none && "only a cancelled job's wait ends as cancelled");
    job& j = *l.waiting;
    RONDO_LEAF_EVENT(ended, j);
    l.waiting = nullptr;
    j.leaf = nullptr;
    make_ready(j);
}

/// Cancels a job and everything its wait contains.
RONDO_API void cancel(job& j, cancel_reason why) noexcept;

/// Cancels what was put on the list.
RONDO_API void cancel(worklist& list) noexcept;

/// The door: resumes `h` as part of `j` and then whatever the trampoline names, until the job waits, is queued, or
/// ends.
RONDO_API void enter(job& j, std::coroutine_handle<> h) noexcept;

/// Nothing of the job waits, is queued, or ended: a coroutine returned to its resumer from nowhere. Says so and aborts.
[[noreturn]] RONDO_API void dropped_body();

/// Resumes `h` and whatever the trampoline names after it.
inline void resume_chain(thread_state& t, std::coroutine_handle<> h) noexcept {
    t.progressed = false;
    h.resume();
    while (t.next) std::exchange(t.next, nullptr).resume();
    if (!t.progressed) [[unlikely]]
        dropped_body();
}

/// The door for jobs that another starts: nests, and gives the thread back to the one that runs.
class start_scope {
public:
    start_scope() noexcept : thread_(tls), parent_(thread_.current) { ++thread_.depth; }
    ~start_scope() {
        --thread_.depth;
        thread_.progressed = false;  // what they did says nothing of the parent, which runs on
        thread_.current = parent_;
    }
    start_scope(const start_scope&) = delete;
    start_scope& operator=(const start_scope&) = delete;

    /// Too deep to nest: what is to be started goes through the ready queue.
    bool is_deep() const noexcept { return thread_.depth > max_inline_depth; }
    void enter(job& j) noexcept { thread_.current = &j; }
    void enter(job& j, promise_base&, std::coroutine_handle<> h) noexcept {
        thread_.current = &j;
        thread_.called_at = std::source_location();  // nobody's await
        resume_chain(thread_, h);
    }

private:
    thread_state& thread_;
    job* const parent_;
};

/// True once for a frame that was destroyed before the task that owns it.
RONDO_API bool was_destroyed(void* frame) noexcept;

/// Throws what the current job is to be unwound with.
[[noreturn]] RONDO_API void throw_cancelled();
[[noreturn]] RONDO_API void throw_no_context();

/// The running job, or an error that says a rondo::run is needed.
inline job& current_job() {
    if (tls.current == nullptr) throw_no_context();
    return *tls.current;
}

}  // namespace rondo::inline v0::detail
