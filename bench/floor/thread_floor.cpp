#include "floor/thread_floor.hpp"

#include <liburing.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

#include "support/scenario.hpp"

namespace {

class ring {
public:
    ring() {
        io_uring_params params{};
        params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
        if (io_uring_queue_init_params(256, &ring_, &params) != 0) fail("no ring");
        io_uring_register_ring_fd(&ring_);
    }
    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;

    int fd() const { return ring_.ring_fd; }
    /// Queues a message that becomes a completion of that ring.
    void message(int to) {
        io_uring_sqe* const sqe = io_uring_get_sqe(&ring_);
        if (sqe == nullptr) fail("the ring is full");
        io_uring_prep_msg_ring(sqe, to, 0, 0, 0);
        sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
    }
    void submit() { io_uring_submit(&ring_); }
    /// Submits, and waits for one message.
    void wait() {
        io_uring_submit_and_wait(&ring_, 1);
        io_uring_cqe* cqe = nullptr;
        if (io_uring_wait_cqe(&ring_, &cqe) != 0 || cqe->res < 0) fail("IORING_OP_MSG_RING failed");
        io_uring_cqe_seen(&ring_, cqe);
    }

private:
    [[noreturn]] static void fail(const char* why) {
        std::fprintf(stderr, "floor: %s\n", why);
        std::_Exit(1);
    }

    io_uring ring_{};
};

/// Waits until the other thread has written it.
int read_once(const std::atomic<int>& value) {
    value.wait(-1);
    return value.load();
}
void write_once(std::atomic<int>& value, int v) {
    value = v;
    value.notify_all();
}

struct message {
    message* next;
    std::uint64_t* count;
};

/// Many threads push, one takes all, newest first.
class inbox {
public:
    /// True when the taker has to be woken.
    bool push(message& m) {
        message* head = head_.load(std::memory_order_relaxed);
        do m.next = head;
        while (!head_.compare_exchange_weak(head, &m));
        return parked_ && parked_.exchange(false);
    }
    message* take() { return head_.exchange(nullptr, std::memory_order_acquire); }
    /// False when something is in it, so that the taker must not wait.
    bool park() {
        parked_ = true;
        if (head_ == nullptr) return true;
        parked_ = false;
        return false;
    }

private:
    std::atomic<message*> head_{nullptr};
    std::atomic<bool> parked_{false};
};

}  // namespace

void cross_thread(std::uint64_t n) {
    std::atomic<int> fds[2] = {-1, -1};
    std::atomic<int> finished{-1};
    std::thread other([&] {
        bench::pin_thread(1);
        ring r;
        write_once(fds[1], r.fd());
        const int to = read_once(fds[0]);
        for (std::uint64_t i = 0; i < n; ++i) {
            r.wait();
            r.message(to);
        }
        r.submit();
        read_once(finished);
    });
    bench::pin_thread(0);
    ring r;
    write_once(fds[0], r.fd());
    const int to = read_once(fds[1]);
    bench::watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) {
        r.message(to);
        r.wait();
    }
    bench::watch.end();
    write_once(finished, 1);
    other.join();
}

void cross_thread_burst(std::uint64_t n) {
    n -= n % bench::burst;
    inbox in;
    std::atomic<int> fd{-1};
    std::atomic<std::uint64_t> seen{0};
    std::uint64_t count = 0;
    long parked = 0;
    std::thread other([&] {
        bench::pin_thread(1);
        ring r;
        write_once(fd, r.fd());
        parked = -bench::times_parked();
        while (count != n) {
            message* m = in.take();
            if (m == nullptr) {
                if (in.park()) r.wait();
                continue;
            }
            while (m != nullptr) {
                ++*m->count;
                message* const next = m->next;
                delete m;
                m = next;
            }
            if (count % bench::burst != 0) continue;
            seen = count;
            seen.notify_all();
        }
        parked += bench::times_parked();
    });
    bench::pin_thread(0);
    const int to = read_once(fd);
    ring r;
    bench::watch.begin();
    for (std::uint64_t sent = 0; sent < n;) {
        for (std::uint64_t k = 0; k < bench::burst; ++k) {
            if (!in.push(*new message{nullptr, &count})) continue;
            r.message(to);
            r.submit();
        }
        const std::uint64_t before = sent;
        sent += bench::burst;
        seen.wait(before);
    }
    bench::watch.end();
    other.join();
    bench::found = {"wakes", "count",
                    static_cast<double>(parked) * static_cast<double>(bench::burst) / static_cast<double>(n)};
}
