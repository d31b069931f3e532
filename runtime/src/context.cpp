#include "context.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <new>
#include <utility>

#include <rondo/detail/counters.hpp>
#include <rondo/error.hpp>
#include <rondo/report.hpp>
#include <rondo/virtual_clock.hpp>

#include "crew.hpp"
#include "leaks.hpp"
#include "report_line.hpp"

namespace rondo::inline v0::detail {

namespace {

constexpr unsigned jobs_per_turn = 256;
constexpr unsigned turns_per_poll = 16;
constexpr unsigned chances_to_end = 100;  // of a main task that goes back to waiting in a deadlock
constexpr std::int64_t second = 1'000'000'000;

[[noreturn]] void kernel_failed(int err) {
    report("io_uring_enter: " + std::error_code(err, std::system_category()).message());
    std::abort();
}

sys& system_of(const runtime_options& options) noexcept {
    return options.system() != nullptr ? *options.system() : kernel_sys();
}

std::uint8_t opcode(io_code c) noexcept {
    switch (c) {
        case io_code::nop: return IORING_OP_NOP;
        case io_code::read: return IORING_OP_READ;
        case io_code::write: return IORING_OP_WRITE;
        case io_code::receive: return IORING_OP_RECV;
        case io_code::send: return IORING_OP_SEND;
        case io_code::accept: return IORING_OP_ACCEPT;
        case io_code::connect: return IORING_OP_CONNECT;
        case io_code::poll: return IORING_OP_POLL_ADD;
    }
    return IORING_OP_NOP;
}

}  // namespace

std::int64_t monotonic() noexcept {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::int64_t>(t.tv_sec) * second + t.tv_nsec;
}

// ---- the wake: one read of the inbox's eventfd, armed while anybody outside could post

const io_ops context::wake_operation::ops_table{{&io_operation::cancel, &io_operation::describe},
                                                &context::wake_operation::completed};

context::wake_operation::wake_operation(context& c) noexcept : io_operation(io_request(), ops_table) {
    request.code = io_code::read;
    request.fd = c.inbox_->wake_fd();
    request.address = &count;
    request.length = sizeof count;
}

void context::wake_operation::completed(io_operation& op) noexcept {
    // The loop looks into the inbox anyway.
    if (op.res > 0) tls.context->meters().wakes.add(1);
}

void context::arm_wake() noexcept {
    if (!wake_.in_flight() && (listens_ || inbox_->has_outsiders())) start(wake_, true);
}

// ---- life

context::context(const runtime_options& options)
    : context(options, std::unique_ptr<ring>(system_of(options).open_ring(options.ring_entries()))) {}

context::context(const runtime_options& options, std::unique_ptr<ring> r)
    : options_(options), sys_(&system_of(options)), ring_(std::move(r)), inbox_(new inbox), wake_(*this) {
    now();
}

context::~context() {
    if (pool_stuck_) {
        pool_->let_go();
        new std::shared_ptr<blocking_pool>(pool_);  // its threads live on, and refer to it
    }
    pool_.reset();
    assert((closed_ || inbox_->empty()) && "a message came after the end and nobody would run what it made ready");
    inbox_->close();
    closed_ = true;
    cancel_operations();
    note_leaks(timers_.size(), spawned_count());
    ring_.reset();  // before the memory that is registered with it
    if (buffers_ != nullptr) buffers_->let_go();
    inbox_->drop_ref();
}

void context::cancel_operations() noexcept {
    for (io_operation* op = in_flight_.first; op != nullptr;) {
        io_operation* const next = op->next;
        cancel_operation(*op);
        op = next;
    }
    // What a job left is only there when the kernel would not end it before: its frames stay for good.
    const std::int64_t until = monotonic() + last_grace;
    while (background_ != 0 || (foreground_ != 0 && monotonic() < until)) await_completions(until);
}

bool context::await_completions(std::int64_t until) noexcept {
    const std::int64_t left = std::max<std::int64_t>(until - monotonic(), 0);
    const __kernel_timespec limit{left / second, left % second};
    submit_cancels();
    enter_kernel(to_cancel_.first == nullptr ? 1 : 0, &limit);
    reap();
    return left != 0;
}

std::int64_t context::now() noexcept {
    return recent_ = options_.clock() != nullptr ? options_.clock()->ns() : monotonic();
}

buffer_ring* context::buffers() noexcept {
    if (buffers_ != nullptr) return buffers_;
    try {
        buffers_ = new buffer_ring(*ring_);
    } catch (const std::bad_alloc&) {
        buffers_ = nullptr;  // receives bring their own meanwhile
    }
    return buffers_;
}

blocking_pool& context::pool() {
    if (!pool_) pool_ = std::make_shared<blocking_pool>(options_.blocking_threads());
    return *pool_;
}

void context::take_part(crew* of, std::size_t index, submitted_list& list) {
    crew_ = of;
    index_ = index;
    submissions_ = &list;
    if (of != nullptr) pool_ = of->pool();
}

// ---- the loop

void context::run(job& main, const bool& done) {
    main_ = &main;
    make_ready(main);
    std::string deadlock;
    unsigned chances = chances_to_end;
    std::int64_t until = 0;
    bool ending = false;
    bool broken = false;
    while (!done) {
        const bool alive = turn(done);
        if (done) break;
        if (!ending) {
            if (alive && !asked_to_stop_) continue;
            if (!asked_to_stop_) deadlock = describe_deadlock();
            ending = true;
            detail::cancel(main, cancel_reason::shutdown);
            until = add_saturated(monotonic(), options_.grace().count());
            continue;
        }
        if (alive) {
            if (monotonic() < until) continue;
            if (!broken) {
                broken = true;
                if (deadlock.empty()) report_late(options_.grace().count());
                break_shields(tree_of(main));
                until = monotonic() + last_grace;
                continue;
            }
        } else if (chances-- != 0) {
            break_shields(tree_of(main));
            if (tls.ready_head != nullptr) continue;
        }
        // It waits for something that nobody can end, or does not let go.
        if (main.top != nullptr)
            deadlock += "the main task went on when it was cancelled, and was destroyed at " +
                        format_location(main.top->last_await()) + "\n";
        if (!destroy_trees({&main}).contains(&main)) keep_coroutines(main, gone_);
        break;
    }
    main_ = nullptr;
    if (done && (deadlock.empty() || asked_to_stop_)) return;
    throw error(fault(asked_to_stop_ ? errc::cancelled : errc::deadlock, asked_to_stop_ ? "the main task" : "")
                    .detail(deadlock));
}

void context::serve(const bool& stop) {
    while (!stop) turn(stop);
}

bool context::turn(const bool& stop) {
    run_ready();
    if (stop) return true;
    if (to_cancel_.first != nullptr) submit_cancels();
    fire_timers();
    if (tls.ready_head != nullptr) {
        poll_kernel();
        return true;
    }
    if (take_messages()) return true;
    return wait();
}

void context::run_ready() noexcept {
    unsigned ran = 0;
    while (ran < jobs_per_turn) {
        job* const j = tls.ready_head;
        if (j == nullptr) break;
        ++ran;
        tls.ready_head = j->queue_next;
        if (tls.ready_head == nullptr) tls.ready_tail = nullptr;
        tls.budget = ready_budget;
        if (j->top != nullptr) enter(*j, std::exchange(j->top, nullptr)->handle());
        else j->ops->run(*j);
    }
    note_turn(ran);
}

void context::note_turn(unsigned ran) noexcept {
    detail::meters& m = inbox_->meters;
    m.turns.add(1);
    m.jobs_run.add(ran);
    if (tls.ready_head != nullptr) m.full_turns.add(1);
    m.ready_now.set(ran);
    m.timers_now.set(timers_.size());
    m.buffers_leased_now.set(buffers_ != nullptr ? buffers_->leased() : 0);
}

bool context::take_messages() noexcept {
    const std::size_t n = inbox_->drain();
    if (n != 0) inbox_->meters.messages.add(n);
    return n != 0;
}

void context::poll_kernel() noexcept {
    // Work is ready, so the kernel is entered only when something waits for it.
    if (ring_->pending() != 0 || ring_->needs_enter()) enter_kernel(0, nullptr);
    if (ring_->has_completions()) reap();
    take_messages();
}

bool context::anything_pending() const noexcept {
    return foreground_ != 0 || blocking_calls != 0 || inbox_->has_outsiders() || to_cancel_.first != nullptr;
}

bool context::poll() {
    inbox_->unpark();
    for (unsigned n = 0; n < turns_per_poll; ++n) {
        run_ready();
        if (to_cancel_.first != nullptr) submit_cancels();
        fire_timers();
        poll_kernel();
        if (tls.ready_head != nullptr || to_cancel_.first != nullptr || advance_clock(timers_.next_deadline()))
            continue;
        arm_wake();
        if (ring_->pending() != 0) enter_kernel(0, nullptr);
        if (!ring_->has_completions() && inbox_->park()) break;
    }
    trim_frames();
    return !drained_;
}

std::int64_t context::next_poll() noexcept {
    if (tls.ready_head != nullptr || to_cancel_.first != nullptr) return 0;
    return timers_.next_deadline();
}

/// A virtual clock jumps to the next deadline when nothing real is awaited.
bool context::advance_clock(std::int64_t next) noexcept {
    virtual_clock* const clock = options_.clock();
    if (clock == nullptr || next == INT64_MAX) return false;
    if (foreground_ != 0 || blocking_calls != 0 || to_cancel_.first != nullptr) return false;
    // Completions that are already there come first: they may make a job ready at the present time.
    enter_kernel(0, nullptr);
    reap();
    if (tls.ready_head == nullptr && !take_messages()) clock->jump(next);
    fire_timers();
    return true;
}

bool context::wait() {
    const std::int64_t next = timers_.next_deadline();
    virtual_clock* const clock = options_.clock();
    if (next == INT64_MAX && !anything_pending()) {
        if (!ring_->has_completions()) return false;
    }
    __kernel_timespec limit{};
    const __kernel_timespec* until = nullptr;
    const bool stands_still = clock != nullptr && !ring_->keeps_time();
    if (stands_still) {
        if (advance_clock(next)) return true;
        // Time stands still while a real operation is awaited; one that nothing ever answers is a fault of the test.
        if (foreground_ != 0) {
            limit.tv_sec = 1;
            until = &limit;
        }
    } else if (next != INT64_MAX && (clock == nullptr || blocking_calls == 0)) {
        const std::int64_t left = std::max<std::int64_t>(next - now(), 0);
        limit.tv_sec = left / second;
        limit.tv_nsec = left % second;
        until = &limit;
    }
    trim_frames();
    arm_wake();
    if (!inbox_->park()) {
        take_messages();
        return true;
    }
    const bool cancels_left = to_cancel_.first != nullptr;
    inbox_->meters.parks.add(1);
    const bool timed_out = !enter_kernel(cancels_left ? 0 : 1, until);
    inbox_->unpark();
    reap();
    take_messages();
    fire_timers();
    if (!timed_out || cancels_left || tls.ready_head != nullptr) return true;
    clock_held_ = stands_still && blocking_calls == 0;
    return !clock_held_ && until != nullptr;
}

bool context::enter_kernel(unsigned wait_for, const __kernel_timespec* limit) noexcept {
    inbox_->meters.enters.add(1);
    const int rc = ring_->enter(wait_for, limit);
    if (ring_->has_overflowed()) inbox_->meters.completion_overflows.add(1);
    switch (-rc) {
        case 0:
        case EINTR:   // a signal came
        case EBUSY:   // the completion queue is full: the caller reaps
        case EAGAIN:  // no memory for a request just now
            return true;
        case ETIME: return false;
        default: kernel_failed(-rc);
    }
}

void context::reap() noexcept {
    ring_->reap([this](const io_uring_cqe& cqe) { completed(cqe); });
}

void context::fire_timers() noexcept {
    if (timers_.empty()) return;
    const std::int64_t t = now();
    while (timer_node* const n = timers_.pop_expired(t)) {
        auto& fired = static_cast<timer&>(*n);
        inbox_->meters.timer_fired(t - fired.deadline);
        fired.fire(fired);
    }
}

// ---- operations

void context::append(operation_list& list, io_operation& op) noexcept {
    op.prev = list.last;
    op.next = nullptr;
    (list.last != nullptr ? list.last->next : list.first) = &op;
    list.last = &op;
}

void context::remove(operation_list& list, io_operation& op) noexcept {
    (op.prev != nullptr ? op.prev->next : list.first) = op.next;
    (op.next != nullptr ? op.next->prev : list.last) = op.prev;
}

io_uring_sqe& context::entry() noexcept {
    for (;;) {
        if (io_uring_sqe* const sqe = ring_->entry()) return *sqe;
        // Full: hand over what is there. Completions only queue jobs, so they may be taken at any time.
        enter_kernel(0, nullptr);
        if (ring_->space() == 0) reap();
    }
}

void context::start(io_operation& op, bool background) noexcept {
    op.in_flight_ = true;
    op.background_ = background;
    op.cancel_wanted_ = false;
    ++(background ? background_ : foreground_);
    append(in_flight_, op);
    inbox_->meters.operations.add(1);
    io_uring_sqe& sqe = entry();
    const io_request& r = op.request;
    sqe.opcode = opcode(r.code);
    sqe.fd = r.fd;
    sqe.addr = reinterpret_cast<std::uintptr_t>(r.address);
    sqe.len = r.length;
    sqe.off = r.offset;
    sqe.msg_flags = r.flags;
    if (r.select_buffer) {
        sqe.flags = IOSQE_BUFFER_SELECT;
        sqe.buf_group = buffer_ring::group;
        if (r.multishot) sqe.ioprio = IORING_RECV_MULTISHOT;
    }
    sqe.user_data = reinterpret_cast<std::uintptr_t>(&op);
}

void context::cancel_operation(io_operation& op) noexcept {
    if (op.cancel_wanted_) return;
    op.cancel_wanted_ = true;
    op.cancel_queued_ = true;
    remove(in_flight_, op);
    append(to_cancel_, op);
}

void context::submit_cancels() noexcept {
    // At most what the queue holds: a mass cancel is spread over turns.
    if (ring_->space() == 0) enter_kernel(0, nullptr);
    for (unsigned room = ring_->space(); room != 0 && to_cancel_.first != nullptr; --room) {
        io_operation& op = *to_cancel_.first;
        remove(to_cancel_, op);
        append(in_flight_, op);
        op.cancel_queued_ = false;
        inbox_->meters.cancel_requests.add(1);
        io_uring_sqe& sqe = entry();
        sqe.opcode = IORING_OP_ASYNC_CANCEL;
        sqe.fd = -1;
        sqe.addr = reinterpret_cast<std::uintptr_t>(&op);
        sqe.user_data = 0;  // its own result says nothing: only the operation's completion does
    }
}

void context::completed(const io_uring_cqe& cqe) noexcept {
    if (cqe.user_data == 0) return;
    auto& op = *reinterpret_cast<io_operation*>(cqe.user_data);
    inbox_->meters.completions.add(1);
    op.res = cqe.res;
    // One that blocked a thread of the kernel (a connect to a full unix socket) ends so when it is cancelled.
    if (op.res == -EINTR && op.cancel_wanted_) op.res = -ECANCELED;
    op.cqe_flags = cqe.flags;
    if ((cqe.flags & IORING_CQE_F_MORE) == 0) {
        remove(op.cancel_queued_ ? to_cancel_ : in_flight_, op);
        op.cancel_queued_ = false;
        op.in_flight_ = false;
        --(op.background_ ? background_ : foreground_);
    }
    if (closed_) return;  // of a job that could not be ended
    const auto& ops = static_cast<const io_ops&>(*op.ops);
    if (ops.completed != nullptr) ops.completed(op);
    else io_operation::complete_wait(op);
}

// ---- jobs

void context::add_spawned(spawned_job& j) noexcept {
    if (shutting_down_) j.reason = cancel_reason::shutdown;
    j.next_ = spawned_;
    j.prev_ = nullptr;
    if (spawned_ != nullptr) spawned_->prev_ = &j;
    spawned_ = &j;
    drained_ = false;
    inbox_->meters.jobs_spawned.add(1);
}

void context::remove_spawned(spawned_job& j) noexcept {
    (j.prev_ != nullptr ? j.prev_->next_ : spawned_) = j.next_;
    if (j.next_ != nullptr) j.next_->prev_ = j.prev_;
    inbox_->meters.jobs_ended.add(1);
    note_drained();
}

std::size_t context::spawned_count() const noexcept {
    std::size_t n = 0;
    for (const spawned_job* j = spawned_; j != nullptr; j = j->next_) ++n;
    return n;
}

void context::note_drained() noexcept { drained_ = spawned_ == nullptr && groups_ == nullptr; }

void context::cancel_spawned(cancel_reason why) noexcept {
    worklist list;
    for (spawned_job* j = spawned_; j != nullptr; j = j->next_) list.add(*j, why);
    for (group* g = groups_; g != nullptr; g = g->next_) g->collect(list, why);
    cancel(list);
}

std::string context::dump() {
    report_line out(now());
    if (main_ != nullptr) out.tree(*main_);
    for (const spawned_job* j = spawned_; j != nullptr; j = j->next_) out.tree(*j);
    std::vector<job*> children;
    for (const group* g = groups_; g != nullptr; g = g->next_) {
        if (g->waiter_ == nullptr) g->add_running(children);  // the others are below the job that waits for them
    }
    for (const job* j : children) out.tree(*j);
    return out.take();
}

// ---- what operations ask of the running context

std::int64_t clock_now() noexcept { return tls.context != nullptr ? tls.context->now() : monotonic(); }

void arm(timer& t, std::int64_t deadline) noexcept {
    t.deadline = deadline;
    tls.context->timers().arm(t, tls.context->recent());
}

bool has_passed(std::int64_t deadline) noexcept { return deadline <= tls.context->recent(); }

void disarm(timer& t) noexcept {
    if (t.armed()) tls.context->timers().cancel(t);
}

activation::activation(context& c) : saved_(tls) {
    if (tls.context != nullptr) throw error(fault(errc::busy).detail("this thread runs a context already"));
    tls = thread_state();
    tls.context = &c;
    tls.watch = c.calls().watch();
}

activation::activation(context& c, thread_state& kept) : activation(c) {
    kept_ = &kept;
    tls = kept;
    tls.context = &c;
}

activation::~activation() {
    note_permits(std::exchange(tls.permits, 0));
    if (kept_ != nullptr) *kept_ = tls;
    tls = saved_;
}

}  // namespace rondo::inline v0::detail
