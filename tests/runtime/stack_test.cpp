// The native stack stays flat: loops of a million awaits that complete at once, and chains a million deep, in every
// build. The stack is 8 MiB or less, so a frame per step would end the program.
#include <rondo/task.hpp>

#include <coroutine>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <rondo/as_completed.hpp>
#include <rondo/as_result.hpp>
#include <rondo/condition_variable.hpp>
#include <rondo/event.hpp>
#include <rondo/mutex.hpp>
#include <rondo/race.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/semaphore.hpp>
#include <rondo/shared_mutex.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::event;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

constexpr int million = 1'000'000;

task<int> ready(int x) { co_return x; }

/// Starts a chain of calls; the innermost waits for `e`.
task<int> chain(int depth, event& e) {
    if (depth == 0) {
        co_await e.wait();
        co_return 0;
    }
    const int below = co_await chain(depth - 1, e);
    co_return below + 1;
}
task<int> failing_chain(int depth, event& e) {
    if (depth == 0) {
        co_await e.wait();
        throw 1;
    }
    const int below = co_await failing_chain(depth - 1, e);
    co_return below + 1;
}

class counts_its_end {
public:
    explicit counts_its_end(int& n) : n_(n) {}
    ~counts_its_end() { ++n_; }

private:
    int& n_;
};
/// A foreign awaiter that nobody ever resumes, and no cancel ends.
struct forever {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
};
task<int> counted_chain(int depth, int& ended) {
    const counts_its_end at_end(ended);
    if (depth == 0) {
        co_await forever();
        co_return 0;
    }
    const int below = co_await counted_chain(depth - 1, ended);
    co_return below + 1;
}

}  // namespace

TEST_CASE("a million awaits of tasks that end at once") {
    auto body = []() -> task<long> {
        long sum = 0;
        for (int i = 0; i < million; ++i) {
            const int n = co_await ready(1);
            sum += n;
        }
        co_return sum;
    };
    CHECK(run(body()) == million);
}

TEST_CASE("a million waits for a set event and for a sleep that is over") {
    auto body = []() -> task<int> {
        event e;
        e.set();
        int n = 0;
        for (int i = 0; i < million; ++i) {
            co_await e.wait();
            co_await rondo::sleep_for(0s);
            ++n;
        }
        co_return n;
    };
    CHECK(run(body()) == million);
}

TEST_CASE("a million locks that are free") {
    auto body = []() -> task<int> {
        rondo::mutex m;
        rondo::shared_mutex shared;
        rondo::semaphore s(2);
        bool others_ran = false;
        auto other = [&]() -> task<> {
            others_ran = true;
            co_return;
        };
        auto h = rondo::spawn(other(), "other");
        int n = 0;
        for (int i = 0; i < million; ++i) {
            auto held = co_await m.lock();
            auto reading = co_await shared.lock_shared();
            auto permit = co_await s.acquire();
            if (held.owns_lock() && reading.owns_lock() && permit.count() == 1) ++n;
        }
        CHECK(others_ran);  // though no lock had to be waited for
        co_await h.join();
        co_return n;
    };
    CHECK(run(body()) == million);
}

TEST_CASE("a hundred thousand waiters of a mutex, a semaphore and a condition_variable are served and cancelled") {
    constexpr int count = million / 10;
    auto body = [&]() -> task<int> {
        rondo::mutex m;
        rondo::semaphore s(0, count);
        rondo::condition_variable c;
        int served = 0;
        auto waits = [&]() -> task<> {
            auto permit = co_await s.acquire();
            auto held = co_await m.lock();
            co_await c.wait(held);
            ++served;
        };
        const auto all = [&] {
            std::vector<task<>> tasks;
            for (int i = 0; i < count; ++i) tasks.push_back(waits());
            return tasks;
        };
        auto run_all = [](std::vector<task<>> tasks) -> task<> { co_await rondo::when_all(std::move(tasks)); };
        auto h = rondo::spawn(run_all(all()), "all");
        co_await this_job::yield();
        s.release(count);
        while (m.is_locked() || s.available() != 0) co_await this_job::yield();
        for (int i = 0; i < 5; ++i) co_await this_job::yield();
        c.notify_all();
        co_await h.join();
        CHECK(served == count);
        // In line for permits, and then for the notification: all are cancelled at once.
        for (const bool first : {true, false}) {
            auto taken = co_await s.acquire(s.available());
            if (!first) taken.release();
            auto again = rondo::spawn(run_all(all()), "again");
            for (int i = 0; i < 5; ++i) co_await this_job::yield();
            again.cancel();
            const auto r = co_await rondo::as_result(again.join());
            CHECK(r.error() == rondo::errc::cancelled);
        }
        CHECK(s.available() == count);
        co_return served;
    };
    CHECK(run(body()) == count);
}

TEST_CASE("a million turns through the ready queue") {
    auto body = []() -> task<int> {
        int n = 0;
        for (int i = 0; i < million; ++i) {
            co_await this_job::yield();
            ++n;
        }
        co_return n;
    };
    CHECK(run(body()) == million);
}

TEST_CASE("a million combinators over work that ends at once") {
    auto body = []() -> task<long> {
        event e;
        e.set();
        long sum = 0;
        for (int i = 0; i < million / 4; ++i) {
            auto [a, b] = co_await rondo::when_all(ready(1), ready(2));
            auto v = co_await rondo::race(ready(3), e.wait());
            const int t = co_await rondo::with_timeout(1h, ready(4));
            const int s = co_await rondo::shield(ready(5));
            sum += a + b + std::get<0>(v) + t + s;
        }
        co_return sum;
    };
    CHECK(run(body()) == 15L * (million / 4));
}

TEST_CASE("a million ends taken from as_completed, all there already") {
    auto body = []() -> task<long> {
        std::vector<task<int>> tasks;
        tasks.reserve(million);
        for (int i = 0; i < million; ++i) tasks.push_back(ready(1));
        auto s = rondo::as_completed(std::move(tasks));
        long sum = 0;
        for (;;) {
            auto done = co_await s.next();
            if (!done) break;
            sum += *done->second;
        }
        co_return sum;
    };
    CHECK(run(body()) == million);
}

TEST_CASE("a million children of one when_all") {
    auto body = []() -> task<std::size_t> {
        std::vector<task<int>> tasks;
        tasks.reserve(million);
        for (int i = 0; i < million; ++i) tasks.push_back(ready(i));
        const std::vector<int> values = co_await rondo::when_all(std::move(tasks));
        co_return values.size();
    };
    CHECK(run(body()) == million);
}

TEST_CASE("a million waiters of one event are woken and cancelled") {
    constexpr int count = million / 10;
    auto body = []() -> task<int> {
        event e;
        int woken = 0;
        auto waits = [&]() -> task<> {
            co_await e.wait();
            ++woken;
        };
        std::vector<task<>> tasks;
        for (int i = 0; i < count; ++i) tasks.push_back(waits());
        auto all = [&]() -> task<> { co_await rondo::when_all(std::move(tasks)); };
        auto h = rondo::spawn(all(), "all");
        co_await this_job::yield();
        e.set();
        co_await h.join();
        std::vector<task<>> again;
        e.reset();
        for (int i = 0; i < count; ++i) again.push_back(waits());
        const auto r = co_await rondo::as_result(rondo::with_timeout(1ms, rondo::when_all(std::move(again))));
        CHECK(r.error() == rondo::errc::timed_out);
        co_return woken;
    };
    CHECK(run(body()) == count);
}

TEST_CASE("a chain a million calls deep starts, waits at its bottom, and ends") {
    auto body = []() -> task<int> {
        event e;
        auto h = rondo::spawn(chain(million, e), "chain");
        co_await this_job::yield();
        CHECK_FALSE(h.is_done());
        e.set();
        const int n = co_await h.join();
        co_return n;
    };
    CHECK(run(body()) == million);
}

TEST_CASE("a chain a million calls deep that never waits") {
    auto body = []() -> task<int> {
        event e;
        e.set();
        const int n = co_await chain(million, e);
        co_return n;
    };
    CHECK(run(body()) == million);
}

TEST_CASE("an exception and a cancellation climb a deep chain") {
    // A level costs about a microsecond, so not a million of them.
    constexpr int depth = million / 20;
    auto body = []() -> task<> {
        event e;
        auto h = rondo::spawn(failing_chain(depth, e), "fails");
        co_await this_job::yield();
        e.set();
        bool thrown = false;
        try {
            (void)co_await h.join();
        } catch (int) {
            thrown = true;
        }
        CHECK(thrown);
        event never;
        auto c = rondo::spawn(chain(depth, never), "cancelled");
        co_await this_job::yield();
        c.cancel();
        const auto r = co_await rondo::as_result(c.join());
        CHECK(r.error() == rondo::errc::cancelled);
    };
    run(body());
}

TEST_CASE("a suspended chain a million calls deep is destroyed with a flat stack, every frame once") {
    const auto before = rondo::on_report([](std::string_view) {});
    int ended = 0;
    rondo::virtual_clock clock;
    auto body = [&]() -> task<> {
        rondo::spawn(counted_chain(million, ended), "straggler").detach();
        co_await this_job::yield();
    };
    run(rondo::runtime_options().clock(clock).grace(1s), body());
    rondo::on_report(before);
    CHECK(ended == million + 1);
}
