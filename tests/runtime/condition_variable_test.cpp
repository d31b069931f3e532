#include <rondo/condition_variable.hpp>

#include <chrono>
#include <coroutine>
#include <string>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/event.hpp>
#include <rondo/race.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::condition_variable;
using rondo::errc;
using rondo::mutex;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

class board {
public:
    mutex m;
    condition_variable changed;
    std::string log;
};

task<> log_when_notified(board& b, char c) {
    auto held = co_await b.m.lock();
    co_await b.changed.wait(held);
    CHECK(held.owns_lock());
    CHECK(b.m.is_locked());
    b.log += c;
}

/// Writes a capital when it was cancelled, and whether it held the lock then.
task<> log_how_it_ended(board& b, char c) {
    auto held = co_await b.m.lock();
    try {
        co_await b.changed.wait(held);
        b.log += c;
    } catch (const rondo::cancelled&) {
        b.log += static_cast<char>(c - 'a' + 'A');
        if (!held.owns_lock()) b.log += '!';
        throw;
    }
}

task<> turns(int n) {
    for (int i = 0; i < n; ++i) co_await this_job::yield();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a wait for a condition_variable unlocks its mutex, and locks it again when it is notified") {
    auto body = []() -> task<> {
        board b;
        auto a = rondo::spawn(log_when_notified(b, 'a'), "a");
        co_await turns(2);
        CHECK_FALSE(b.m.is_locked());
        {
            auto held = co_await b.m.lock();
            b.changed.notify_one();
            co_await turns(2);
            CHECK(b.log.empty());  // the mutex is not free
        }
        co_await a.join();
        CHECK(b.log == "a");
        CHECK_FALSE(b.m.is_locked());
        b.changed.notify_one();  // nobody waits: nothing is kept
        auto c = rondo::spawn(log_when_notified(b, 'c'), "c");
        co_await turns(3);
        CHECK_FALSE(c.is_done());
        b.changed.notify_one();
        co_await c.join();
    };
    run(body());
}

TEST_CASE("notify_one wakes the first who waits, notify_all everybody, in their order") {
    auto body = []() -> task<> {
        board b;
        auto a = rondo::spawn(log_when_notified(b, 'a'), "a");
        auto c = rondo::spawn(log_when_notified(b, 'c'), "c");
        auto d = rondo::spawn(log_when_notified(b, 'd'), "d");
        co_await turns(2);
        b.changed.notify_one();
        co_await turns(3);
        CHECK(b.log == "a");
        b.changed.notify_all();
        co_await c.join();
        co_await d.join();
        CHECK(b.log == "acd");
        co_await a.join();
    };
    run(body());
}

TEST_CASE("a notified waiter locks behind those who wait for the mutex already") {
    auto body = []() -> task<> {
        board b;
        auto a = rondo::spawn(log_when_notified(b, 'a'), "a");
        co_await turns(2);
        auto held = co_await b.m.lock();
        auto locks = [&]() -> task<> {
            auto mine = co_await b.m.lock();
            b.log += 'm';
        };
        auto m = rondo::spawn(locks(), "locks");
        co_await turns(2);
        b.changed.notify_one();
        held.unlock();
        co_await a.join();
        CHECK(m.is_done());
        CHECK(b.log == "ma");
    };
    run(body());
}

TEST_CASE("a wait with a predicate goes on until it is true, and does not wait when it is") {
    auto body = []() -> task<> {
        board b;
        int n = 0;
        int asked = 0;
        auto waits = [&]() -> task<> {
            auto held = co_await b.m.lock();
            co_await b.changed.wait(held, [&] {
                ++asked;
                return n >= 2;
            });
            CHECK(held.owns_lock());
            b.log += 'w';
        };
        auto w = rondo::spawn(waits(), "waits");
        co_await turns(2);
        n = 1;
        b.changed.notify_one();
        co_await turns(3);
        CHECK_FALSE(w.is_done());
        n = 2;
        b.changed.notify_one();
        co_await w.join();
        CHECK(asked == 3);
        co_await waits();
        CHECK(asked == 4);
        CHECK(b.log == "ww");
    };
    run(body());
}

TEST_CASE("a cancelled wait throws with the mutex locked") {
    auto body = []() -> task<> {
        board b;
        auto a = rondo::spawn(log_how_it_ended(b, 'a'), "a");
        co_await turns(2);
        SECTION("at once when the mutex is free") {
            a.cancel();
            const auto r = co_await rondo::as_result(a.join());
            CHECK(r.error() == errc::cancelled);
            CHECK(b.log == "A");
        }
        SECTION("when its holder unlocks it, otherwise") {
            auto held = co_await b.m.lock();
            a.cancel();
            co_await turns(3);
            CHECK_FALSE(a.is_done());
            CHECK(contains(rondo::dump_jobs(), "condition_variable, cancelled, to lock its mutex again, taken at "));
            held.unlock();
            const auto r = co_await rondo::as_result(a.join());
            CHECK(r.error() == errc::cancelled);
            CHECK(b.log == "A");
        }
        CHECK_FALSE(b.m.is_locked());
    };
    run(body());
}

TEST_CASE("a job that is cancelled before it waits keeps its lock and is never woken") {
    auto body = []() -> task<> {
        board b;
        auto waits = [&]() -> task<> {
            auto held = co_await b.m.lock();
            co_await rondo::race(rondo::sleep_for(0s));
            try {
                co_await b.changed.wait(held);
            } catch (const rondo::cancelled&) {
                b.log += held.owns_lock() ? 'h' : '!';
                throw;
            }
        };
        auto a = rondo::spawn(waits(), "a");
        auto cancels = [&]() -> task<> {
            co_await turns(0);
            a.cancel();
        };
        co_await cancels();
        const auto r = co_await rondo::as_result(a.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(b.log.find('!') == std::string::npos);
        CHECK_FALSE(b.m.is_locked());
    };
    run(body());
}

TEST_CASE("a waiter that is cancelled after its notification hands it on") {
    auto body = []() -> task<> {
        board b;
        auto a = rondo::spawn(log_how_it_ended(b, 'a'), "a");
        auto c = rondo::spawn(log_how_it_ended(b, 'c'), "c");
        co_await turns(2);
        SECTION("while it waits for the mutex") {
            auto held = co_await b.m.lock();
            b.changed.notify_one();
            a.cancel();
            held.unlock();
            co_await c.join();
            CHECK(b.log == "Ac");
        }
        SECTION("but when it has the mutex, it is the one that was notified") {
            b.changed.notify_one();
            a.cancel();
            co_await a.join();
            CHECK(b.log == "a");
            b.changed.notify_one();
            co_await c.join();
            CHECK(b.log == "ac");
        }
        CHECK_FALSE(b.m.is_locked());
    };
    run(body());
}

TEST_CASE("a notification to a whole tree that is cancelled goes to the next outside of it") {
    auto body = []() -> task<> {
        board b;
        auto all = [&]() -> task<> { co_await rondo::race(log_how_it_ended(b, 'a'), log_how_it_ended(b, 'c')); };
        auto tree = rondo::spawn(all(), "tree");
        co_await turns(2);
        auto d = rondo::spawn(log_how_it_ended(b, 'd'), "d");
        co_await turns(2);
        auto held = co_await b.m.lock();
        b.changed.notify_one();
        tree.cancel();
        held.unlock();
        co_await d.join();
        CHECK(b.log == "ACd");
        const auto r = co_await rondo::as_result(tree.join());
        CHECK(r.error() == errc::cancelled);
    };
    run(body());
}

TEST_CASE("a notification whose waiter lost a race in that moment goes to the next") {
    auto body = []() -> task<> {
        board b;
        rondo::event e;
        auto racing = [&]() -> task<> {
            auto held = co_await b.m.lock();
            const auto winner = co_await rondo::race(e.wait(), b.changed.wait(held));
            CHECK(winner.index() == 0);
            CHECK(held.owns_lock());
            b.log += 'r';
        };
        auto r = rondo::spawn(racing(), "racing");
        co_await turns(2);
        auto next = rondo::spawn(log_when_notified(b, 'n'), "next");
        co_await turns(2);
        e.set();
        b.changed.notify_one();
        co_await r.join();
        co_await next.join();
        CHECK(b.log == "rn");
        CHECK_FALSE(b.m.is_locked());
    };
    run(body());
}

TEST_CASE("a wait with a timeout ends with the mutex locked") {
    rondo::virtual_clock clock;
    auto body = []() -> task<> {
        board b;
        auto held = co_await b.m.lock();
        const auto r = co_await rondo::as_result(rondo::with_timeout(1s, b.changed.wait(held)));
        CHECK(r.error() == errc::timed_out);
        CHECK(held.owns_lock());
        const auto p = co_await rondo::as_result(rondo::with_timeout(1s, b.changed.wait(held, [] { return false; })));
        CHECK(p.error() == errc::timed_out);
        CHECK(held.owns_lock());
    };
    run(rondo::runtime_options().clock(clock), body());
}

namespace {

/// A foreign awaiter that nobody ever resumes, and no cancel ends.
struct forever {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
};

}  // namespace

TEST_CASE("a cancelled waiter whose mutex is never unlocked is destroyed with the stragglers, and takes nothing") {
    static std::string reported;
    reported.clear();
    const auto before = rondo::on_report([](std::string_view text) { reported += text; });
    rondo::virtual_clock clock;
    static board b;
    b.log.clear();
    auto holds = []() -> task<> {
        auto held = co_await b.m.lock();
        co_await forever();
    };
    auto body = [&]() -> task<> {
        rondo::spawn(log_how_it_ended(b, 'a'), "a").detach();
        co_await turns(2);
        rondo::spawn(holds(), "holds").detach();
        co_await turns(2);
        CHECK(b.m.is_locked());
    };
    run(rondo::runtime_options().clock(clock).grace(1s), body());
    rondo::on_report(before);
    CHECK(
        contains(reported, "condition_variable, cancelled, to lock its mutex again, taken at condition_variable_test"));
    CHECK_FALSE(b.m.is_locked());
    CHECK(b.log.empty());
}

TEST_CASE("a deadlock of jobs that wait for a condition_variable names it") {
    auto body = []() -> task<> {
        board b;
        co_await log_when_notified(b, 'a');
    };
    std::string text;
    try {
        run(body());
    } catch (const rondo::error& e) {
        text = e.what();
    }
    CHECK(contains(text, "condition_variable"));
}
