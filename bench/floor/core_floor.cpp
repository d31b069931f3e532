// The floor of the micro benchmarks: the least that hand-written code does for the same work. A lazy task with
// symmetric transfer and pooled frames, an intrusive ready list, a 1 ms timer wheel, bare liburing. No cancellation, no
// errors, no locations, nothing checked.
#include <liburing.h>
#include <sys/mman.h>
#include <algorithm>
#include <coroutine>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "floor/thread_floor.hpp"
#include "support/scenario.hpp"

using bench::watch;

namespace {

// ---- frames: a free list per 64 bytes over one reservation of huge pages

struct free_block {
    free_block* next;
};
free_block* pool[64];

void* carve(std::size_t n) {
    static char* at = nullptr;
    if (at == nullptr) {
        constexpr std::size_t all = std::size_t{1} << 30U;
        void* const p =
            ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) std::abort();
        ::madvise(p, all, MADV_HUGEPAGE);
        at = static_cast<char*>(p);
    }
    return std::exchange(at, at + n);
}

struct pooled {
    static void* operator new(std::size_t n) {
        const std::size_t c = (n + 63) / 64;
        if (free_block* const f = pool[c]) {
            pool[c] = f->next;
            return f;
        }
        return carve(c * 64);
    }
    static void operator delete(void* p, std::size_t n) {
        const std::size_t c = (n + 63) / 64;
        pool[c] = ::new (p) free_block{pool[c]};
    }
};

// ---- the ready list

struct node {
    node* next = nullptr;
    std::coroutine_handle<> handle;
};

class ready_list {
public:
    void push(node& n) {
        n.next = nullptr;
        (tail_ != nullptr ? tail_->next : head_) = &n;
        tail_ = &n;
    }
    node* pop() {
        node* const n = head_;
        if (n != nullptr) {
            head_ = n->next;
            if (head_ == nullptr) tail_ = nullptr;
        }
        return n;
    }

private:
    node* head_ = nullptr;
    node* tail_ = nullptr;
};

ready_list ready;

void drain() {
    while (node* const n = ready.pop()) n->handle.resume();
}

// ---- coroutines

class lazy {
public:
    struct promise_type : pooled {
        std::coroutine_handle<> caller;
        int value = 0;
        lazy get_return_object() { return lazy(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        struct final_awaiter {
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
                return h.promise().caller;
            }
            void await_resume() noexcept {}
        };
        final_awaiter final_suspend() noexcept { return {}; }
        void return_value(int v) { value = v; }
        void unhandled_exception() { std::terminate(); }
    };
    explicit lazy(std::coroutine_handle<promise_type> h) : handle_(h) {}
    lazy(lazy&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    ~lazy() {
        if (handle_) handle_.destroy();
    }
    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
        handle_.promise().caller = caller;
        return handle_;
    }
    int await_resume() { return handle_.promise().value; }

private:
    std::coroutine_handle<promise_type> handle_;
};

/// Counts children that have ended; wakes one waiter.
class countdown {
public:
    explicit countdown(std::size_t n = 0) : left_(n) {}
    void add() { ++left_; }
    void done() {
        if (--left_ == 0 && waits_) ready.push(waiter_);
    }
    std::size_t left() const { return left_; }
    bool await_ready() { return left_ == 0; }
    void await_suspend(std::coroutine_handle<> h) {
        waiter_.handle = h;
        waits_ = true;
    }
    void await_resume() {}

private:
    std::size_t left_;
    node waiter_;
    bool waits_ = false;
};

/// A coroutine that nobody awaits: a root, or a child that tells a countdown.
struct detached {
    struct promise_type : pooled {
        node link;
        countdown* owner = nullptr;
        detached get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept {
            if (owner != nullptr) owner->done();
            return {};
        }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};

void queue(detached d, countdown* owner = nullptr) {
    d.handle.promise().owner = owner;
    d.handle.promise().link.handle = d.handle;
    ready.push(d.handle.promise().link);
}

void run(detached d) {
    queue(d);
    drain();
}

[[gnu::noinline]] lazy leaf(int x) { co_return x + 1; }
[[gnu::noinline]] lazy nest(int depth) {
    if (depth == 0) co_return 1;
    const int below = co_await nest(depth - 1);
    co_return 1 + below;
}

detached task_call(std::uint64_t n) {
    std::uint64_t sum = 0;
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) {
        const int r = co_await leaf(static_cast<int>(i));
        sum += static_cast<std::uint64_t>(r);
    }
    watch.end();
    bench::keep(sum);
}

detached task_call_depth10(std::uint64_t n) {
    std::uint64_t sum = 0;
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) {
        const int r = co_await nest(9);
        sum += static_cast<std::uint64_t>(r);
    }
    watch.end();
    bench::keep(sum);
}

class yield_awaiter {
public:
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> h) {
        link_.handle = h;
        ready.push(link_);
    }
    void await_resume() {}

private:
    node link_;
};

detached yielder(std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) co_await yield_awaiter();
}

[[gnu::noinline]] detached child(std::uint64_t& count) {
    ++count;
    co_return;
}

detached all(std::uint64_t n, std::uint64_t batch) {
    std::uint64_t count = 0;
    watch.begin();
    for (std::uint64_t i = 0; i < n; i += batch) {
        countdown left;
        for (std::uint64_t k = 0; k < batch; ++k) {
            left.add();
            queue(child(count), &left);
        }
        co_await left;
    }
    watch.end();
    bench::keep(count);
}

// ---- timers: 1024 slots of 1 ms, doubly linked

struct wheel_timer {
    wheel_timer* prev = nullptr;
    wheel_timer* next = nullptr;
    std::coroutine_handle<> handle;
};
wheel_timer wheel[1024];

void arm(wheel_timer& t, std::uint64_t ms) {
    wheel_timer& slot = wheel[ms & 1023U];
    t.next = slot.next;
    t.prev = &slot;
    slot.next->prev = &t;
    slot.next = &t;
}
void disarm(wheel_timer& t) {
    t.prev->next = t.next;
    t.next->prev = t.prev;
}
void clear_wheel() {
    for (wheel_timer& slot : wheel) slot.next = slot.prev = &slot;
}

class wheel_sleep {
public:
    explicit wheel_sleep(std::uint64_t ms) : ms_(ms) {}
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> h) {
        timer_.handle = h;
        arm(timer_, ms_);
    }
    void await_resume() {}

private:
    std::uint64_t ms_;
    wheel_timer timer_;
};

[[gnu::noinline]] detached sleeper(std::uint64_t ms) { co_await wheel_sleep(ms); }

void sleepers(std::uint64_t n) {
    clear_wheel();
    bench::random_source random;
    countdown left(n);
    const double memory = bench::peak_memory();
    watch.begin();
    const double start = bench::seconds(CLOCK_MONOTONIC);
    const auto now_ms = [start] { return static_cast<std::uint64_t>((bench::seconds(CLOCK_MONOTONIC) - start) * 1e3); };
    for (std::uint64_t i = 0; i < n; ++i) {
        detached d = sleeper(now_ms() + 1 + random() % 1000);
        d.handle.promise().owner = &left;
        d.handle.resume();
    }
    std::uint64_t at = 0;
    while (left.left() != 0) {
        const std::uint64_t now = now_ms();
        for (; at <= now; ++at) {
            wheel_timer& slot = wheel[at & 1023U];
            while (slot.next != &slot) {
                wheel_timer& t = *slot.next;
                disarm(t);
                t.handle.resume();
            }
            if (at == now) break;
        }
        const timespec ms{0, 1'000'000};
        if (left.left() != 0) ::nanosleep(&ms, nullptr);
    }
    watch.end();
    bench::found = {"memory", "B", (bench::peak_memory() - memory) / static_cast<double>(n)};
}

void timer_arm_cancel(std::uint64_t n) {
    clear_wheel();
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) {
        wheel_timer t;
        arm(t, 500 + i);
        asm volatile("" : : : "memory");
        disarm(t);
    }
    watch.end();
}

// ---- bare io_uring

void nops(std::uint64_t n, std::uint64_t width) {
    io_uring ring{};
    io_uring_params params{};
    params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
    if (io_uring_queue_init_params(1024, &ring, &params) != 0) std::abort();
    io_uring_register_ring_fd(&ring);
    std::uint64_t submitted = 0;
    std::uint64_t done = 0;
    watch.begin();
    while (done < n) {
        for (; submitted < n && submitted - done < width; ++submitted) {
            io_uring_sqe* const sqe = io_uring_get_sqe(&ring);
            if (sqe == nullptr) break;
            io_uring_prep_nop(sqe);
        }
        io_uring_submit_and_wait(&ring, 1);
        unsigned head = 0;
        unsigned count = 0;
        io_uring_cqe* cqe = nullptr;
        io_uring_for_each_cqe (&ring, head, cqe) ++count;
        io_uring_cq_advance(&ring, count);
        done += count;
    }
    watch.end();
}

constexpr bench::scenario scenarios[] = {
    {"task_call", [](std::uint64_t n) { run(task_call(n)); }},
    {"task_call_depth10", [](std::uint64_t n) { run(task_call_depth10(n)); }},
    {"yield",
     [](std::uint64_t n) {
         queue(yielder(n / 2));
         queue(yielder(n / 2));
         watch.begin();
         drain();
         watch.end();
     }},
    {"when_all_10", [](std::uint64_t n) { run(all(n, 10)); }},
    {"when_all_1000", [](std::uint64_t n) { run(all(n, 1000)); }},
    {"spawn_1m", [](std::uint64_t n) { run(all(n, n)); }},
    {"sleepers_1m", sleepers},
    {"timer_arm_cancel", timer_arm_cancel},
    {"nop_1", [](std::uint64_t n) { nops(n, 1); }},
    {"nop_64", [](std::uint64_t n) { nops(n, 64); }},
    {"nop_256", [](std::uint64_t n) { nops(n, 256); }},
    {"cross_thread", cross_thread},
    {"cross_thread_burst", cross_thread_burst},
};

}  // namespace

int main(int argc, char** argv) { return bench::run_contender(argc, argv, scenarios); }
