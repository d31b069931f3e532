#include <rondo/mutex.hpp>

#include <chrono>
#include <coroutine>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/event.hpp>
#include <rondo/race.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::event;
using rondo::mutex;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

task<> log_when_locked(mutex& m, std::string& log, char c) {
    auto held = co_await m.lock();
    log += c;
    co_await this_job::yield();
    log += c;
}

}  // namespace

static_assert(!std::is_copy_constructible_v<mutex::guard> && std::is_nothrow_move_constructible_v<mutex::guard>);

TEST_CASE("a mutex is held across awaits, and goes to those who wait in their order") {
    std::string log;
    auto body = [&]() -> task<> {
        mutex m;
        co_await rondo::when_all(log_when_locked(m, log, 'a'), log_when_locked(m, log, 'b'),
                                 log_when_locked(m, log, 'c'));
        CHECK_FALSE(m.is_locked());
    };
    run(body());
    CHECK(log == "aabbcc");
}

TEST_CASE("a mutex that is unlocked with a waiter is the waiter's at once: nobody snatches it") {
    std::string log;
    auto body = [&]() -> task<> {
        mutex m;
        auto held = co_await m.lock();
        auto waiter = rondo::spawn(log_when_locked(m, log, 'w'), "waiter");
        co_await this_job::yield();
        held.unlock();
        CHECK_FALSE(held.owns_lock());
        CHECK(m.is_locked());
        CHECK_FALSE(m.try_lock());
        auto again = co_await m.lock();  // behind it
        CHECK(log == "ww");
        CHECK(again.owns_lock());
    };
    run(body());
}

TEST_CASE("try_lock locks a free mutex, and never waits") {
    auto body = []() -> task<> {
        mutex m;
        {
            auto held = m.try_lock();
            CHECK(held.owns_lock());
            CHECK(static_cast<bool>(held));
            CHECK_FALSE(m.try_lock().owns_lock());
        }
        CHECK_FALSE(m.is_locked());
        CHECK(m.try_lock().owns_lock());
        co_return;
    };
    run(body());
}

TEST_CASE("a guard moves: the lock goes with it, and what it held before is given back") {
    auto body = []() -> task<> {
        mutex a;
        mutex b;
        auto first = co_await a.lock();
        auto second = std::move(first);
        CHECK_FALSE(first.owns_lock());
        CHECK(a.is_locked());
        auto other = co_await b.lock();
        second = std::move(other);
        CHECK_FALSE(a.is_locked());
        CHECK(b.is_locked());
        mutex::guard& self = second;
        second = std::move(self);
        CHECK(b.is_locked());
        second.unlock();
        second.unlock();
        CHECK_FALSE(b.is_locked());
    };
    run(body());
}

TEST_CASE("a guard may be held by another job than the one that locked") {
    auto body = []() -> task<> {
        mutex m;
        auto keep = [](mutex::guard given, event& e) -> task<> {
            const auto held = std::move(given);  // a parameter lives as long as the handle of the job
            co_await e.wait();
            CHECK(held.owns_lock());
        };
        event e;
        auto held = co_await m.lock();
        auto keeper = rondo::spawn(keep(std::move(held), e), "keeper");
        e.set();
        auto again = co_await m.lock();
        CHECK(keeper.is_done());
        CHECK(again.owns_lock());
    };
    run(body());
}

TEST_CASE("a cancelled wait for a mutex ends at once, and its neighbours keep their order") {
    std::string log;
    auto body = [&]() -> task<> {
        mutex m;
        auto held = co_await m.lock();
        auto a = rondo::spawn(log_when_locked(m, log, 'a'), "a");
        auto b = rondo::spawn(log_when_locked(m, log, 'b'), "b");
        auto c = rondo::spawn(log_when_locked(m, log, 'c'), "c");
        co_await this_job::yield();
        b.cancel();
        const auto r = co_await rondo::as_result(b.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(log.empty());
        held.unlock();
        co_await a.join();
        co_await c.join();
        CHECK_FALSE(m.is_locked());
    };
    run(body());
    CHECK(log == "aacc");
}

TEST_CASE("a waiter that is cancelled in the turn of the grant has the lock, and the next one proceeds") {
    std::string log;
    auto body = [&]() -> task<> {
        mutex m;
        auto held = co_await m.lock();
        auto a = rondo::spawn(log_when_locked(m, log, 'a'), "a");
        auto b = rondo::spawn(log_when_locked(m, log, 'b'), "b");
        co_await this_job::yield();
        held.unlock();
        a.cancel();
        const auto r = co_await rondo::as_result(a.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(log.starts_with("a"));  // it was told that it has the lock
        co_await b.join();
        CHECK_FALSE(m.is_locked());
    };
    run(body());
    CHECK(log == "abb");
}

TEST_CASE("a lock that comes in the moment in which another wins the race goes to the next") {
    auto body = []() -> task<> {
        mutex m;
        event e;
        std::string log;
        auto held = co_await m.lock();
        auto racing = [&]() -> task<> {
            const auto winner = co_await rondo::race(e.wait(), m.lock());
            CHECK(winner.index() == 0);
            log += 'r';
        };
        auto r = rondo::spawn(racing(), "racing");
        co_await this_job::yield();
        auto next = rondo::spawn(log_when_locked(m, log, 'n'), "next");
        co_await this_job::yield();
        e.set();
        held.unlock();  // granted to the racing job, which has a winner
        co_await r.join();
        co_await next.join();
        CHECK_FALSE(m.is_locked());
        CHECK(log == "rnn");
    };
    run(body());
}

TEST_CASE("a lock is awaited with a timeout, as a result, and as a child") {
    rondo::virtual_clock clock;
    auto body = []() -> task<> {
        mutex m;
        auto held = co_await rondo::with_timeout(1s, m.lock());
        CHECK(held.owns_lock());
        const auto late = co_await rondo::as_result(rondo::with_timeout(1s, m.lock()));
        CHECK(late.error() == errc::timed_out);
        held.unlock();
        auto r = co_await rondo::as_result(m.lock());
        CHECK(r->owns_lock());
        r->unlock();
        mutex n;
        auto [a, b] = co_await rondo::when_all(m.lock(), n.lock());
        CHECK((a.owns_lock() && b.owns_lock()));
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("a cancelled job gets no lock that it did not ask for before") {
    auto body = []() -> task<> {
        mutex m;
        int reached = 0;
        auto twice = [&]() -> task<> {
            co_await this_job::yield();
            reached = 1;
            auto held = co_await m.lock();
            reached = 2;
        };
        auto h = rondo::spawn(twice(), "twice");
        co_await this_job::yield();
        h.cancel();
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(reached < 2);
        CHECK_FALSE(m.is_locked());
    };
    run(body());
}

TEST_CASE("a job that locks a mutex twice is a deadlock, whose report says where the mutex was taken") {
    int line = 0;
    auto body = [&]() -> task<> {
        mutex m;
        line = __LINE__ + 1;
        auto held = co_await m.lock();
        auto again = co_await m.lock();
    };
    std::string text;
    try {
        run(body());
    } catch (const rondo::error& e) {
        CHECK(e.fault() == errc::deadlock);
        text = e.what();
    }
    CHECK(contains(text, "job main"));
    CHECK(contains(text, "mutex, taken at mutex_test.cpp:" + std::to_string(line)));
}

TEST_CASE("two jobs that lock two mutexes crosswise are a deadlock that names both") {
    auto body = []() -> task<> {
        mutex a;
        mutex b;
        auto locks = [](mutex& first, mutex& second) -> task<> {
            auto one = co_await first.lock();
            co_await this_job::yield();
            auto two = co_await second.lock();
        };
        co_await rondo::when_all(locks(a, b), locks(b, a));
    };
    std::string text;
    try {
        run(body());
    } catch (const rondo::error& e) {
        CHECK(e.fault() == errc::deadlock);
        text = e.what();
    }
    const auto first = text.find("mutex, taken at mutex_test.cpp:");
    CHECK(first != text.npos);
    CHECK(text.find("mutex, taken at mutex_test.cpp:", first + 1) != text.npos);
}

namespace {

/// A foreign awaiter that nobody ever resumes, and no cancel ends.
struct forever {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
};

}  // namespace

TEST_CASE("stragglers that are destroyed give their locks back, and those that wait for them take none") {
    const auto before = rondo::on_report([](std::string_view) {});
    rondo::virtual_clock clock;
    static mutex m;
    auto holds = []() -> task<> {
        auto held = co_await m.lock();
        co_await forever();
    };
    auto waits = []() -> task<> {
        try {
            auto held = co_await m.lock();
        } catch (const rondo::cancelled&) {}
        co_await forever();
    };
    auto body = [&]() -> task<> {
        rondo::spawn(holds(), "holds").detach();
        rondo::spawn(waits(), "waits").detach();
        co_await this_job::yield();
        co_await this_job::yield();
        CHECK(m.is_locked());
    };
    run(rondo::runtime_options().clock(clock).grace(1s), body());
    rondo::on_report(before);
    CHECK_FALSE(m.is_locked());
}

TEST_CASE("a mutex serves one run after another, and a guard may outlive its run") {
    mutex m;
    auto locks = [&]() -> task<mutex::guard> {
        auto held = co_await m.lock();
        co_return held;
    };
    {
        const auto kept = run(locks());
        CHECK(m.is_locked());
        CHECK(kept.owns_lock());
    }
    CHECK_FALSE(m.is_locked());
    CHECK(run(locks()).owns_lock());
}
