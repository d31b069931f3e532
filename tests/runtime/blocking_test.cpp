#include <rondo/blocking.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/race.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::blocking;
using rondo::errc;
using rondo::run;
using rondo::runtime_options;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

/// Holds a pool thread until it is opened.
class gate {
public:
    void pass() {
        entered_.store(true);
        entered_.notify_all();
        open_.wait(false);
    }
    void wait_entered() const { entered_.wait(false); }
    bool entered() const { return entered_.load(); }
    void open() {
        open_.store(true);
        open_.notify_all();
    }

private:
    std::atomic<bool> entered_{false};
    std::atomic<bool> open_{false};
};

task<> until(const std::atomic<bool>& flag) {
    while (!flag.load()) co_await rondo::sleep_for(100us);
}
task<> until_entered(const gate& g) {
    while (!g.entered()) co_await rondo::sleep_for(100us);
}

}  // namespace

TEST_CASE("blocking gives what the function returns, from another thread") {
    auto body = []() -> task<> {
        const auto here = std::this_thread::get_id();
        const auto there = co_await blocking([] { return std::this_thread::get_id(); });
        CHECK(here != there);
        int called = 0;
        co_await blocking([&] { ++called; });
        CHECK(called == 1);
        auto boxed = co_await blocking([] { return std::make_unique<int>(9); });
        CHECK(*boxed == 9);
    };
    run(body());
}

TEST_CASE("blocking throws what the function throws") {
    auto body = []() -> task<> {
        std::string text;
        try {
            (void)co_await blocking([]() -> int { throw std::runtime_error("on the pool"); });
        } catch (const std::runtime_error& e) {
            text = e.what();
        }
        CHECK(text == "on the pool");
        const auto r = co_await rondo::as_result(blocking([] { throw rondo::error(errc::limit_exceeded, "pool"); }));
        CHECK(r.error() == errc::limit_exceeded);
    };
    run(body());
}

TEST_CASE("the loop goes on while a call blocks") {
    auto body = []() -> task<> {
        gate g;
        auto call = [&]() -> task<> { co_await blocking([&] { g.pass(); }); };
        auto other = [&]() -> task<> {
            co_await until_entered(g);
            g.open();
        };
        co_await rondo::when_all(call(), other());
    };
    run(body());
}

TEST_CASE("more calls than threads are queued and all come back, in order of their coming on one thread") {
    auto body = []() -> task<> {
        std::vector<int> order;  // touched by the one pool thread, read after all joins
        std::vector<task<int>> calls;
        auto call = [&](int i) -> task<int> {
            const int n = co_await blocking([&order, i] {
                order.push_back(i);
                return i;
            });
            co_return n;
        };
        for (int i = 0; i < 200; ++i) calls.push_back(call(i));
        const std::vector<int> values = co_await rondo::when_all(std::move(calls));
        REQUIRE(order.size() == 200);
        for (int i = 0; i < 200; ++i) {
            CHECK(order[static_cast<std::size_t>(i)] == i);
            CHECK(values[static_cast<std::size_t>(i)] == i);
        }
    };
    run(runtime_options().blocking_threads(1), body());
}

TEST_CASE("the pool grows to its limit and no further") {
    auto body = []() -> task<> {
        std::atomic<int> now{0};
        std::atomic<int> most{0};
        std::atomic<int> passed{0};
        auto call = [&]() -> task<> {
            co_await blocking([&] {
                const int n = ++now;
                int seen = most.load();
                while (n > seen && !most.compare_exchange_weak(seen, n)) {}
                // The first three hold the pool until all three are in.
                if (++passed <= 3) {
                    while (most.load() < 3) std::this_thread::yield();
                }
                --now;
            });
        };
        std::vector<task<>> calls;
        for (int i = 0; i < 50; ++i) calls.push_back(call());
        co_await rondo::when_all(std::move(calls));
        CHECK(most.load() == 3);
        CHECK(passed.load() == 50);
    };
    run(runtime_options().blocking_threads(3), body());
}

TEST_CASE("a call cancelled while it waits for a thread is taken back and never runs") {
    auto body = []() -> task<> {
        gate g;
        bool ran = false;
        auto holds = [&]() -> task<> { co_await blocking([&] { g.pass(); }); };
        auto waits = [&]() -> task<> { co_await blocking([&] { ran = true; }); };
        auto first = rondo::spawn(holds(), "holds the only thread");
        co_await until_entered(g);
        auto second = rondo::spawn(waits(), "waits for it");
        auto third = rondo::spawn(waits(), "also");
        co_await this_job::yield();
        second.cancel();
        third.cancel();
        const auto r = co_await rondo::as_result(second.join());
        CHECK(r.error() == errc::cancelled);
        const auto t = co_await rondo::as_result(rondo::with_timeout(1ms, blocking([&] { ran = true; })));
        CHECK(t.error() == errc::timed_out);
        g.open();
        co_await first.join();
        const int again = co_await blocking([] { return 4; });
        CHECK(again == 4);
        CHECK_FALSE(ran);
    };
    run(runtime_options().blocking_threads(1), body());
}

TEST_CASE("a call cancelled while it runs is waited for, and its result is returned") {
    auto body = []() -> task<> {
        gate g;
        int got = 0;
        auto calls = [&]() -> task<> {
            got = co_await blocking([&] {
                g.pass();
                return 6;
            });
            co_await this_job::yield();  // ends here
            got = 0;
        };
        auto h = rondo::spawn(calls(), "running");
        co_await until_entered(g);
        h.cancel();
        co_await rondo::sleep_for(1ms);
        CHECK_FALSE(h.is_done());
        g.open();
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(got == 6);
    };
    run(body());
}

TEST_CASE("a timeout waits for a running call, and its value wins") {
    auto body = []() -> task<> {
        // A call that no thread took in time was withdrawn, as it should be; only one that ran can be judged.
        for (;;) {
            gate g;
            auto opens = [&]() -> task<> {
                co_await until_entered(g);
                co_await rondo::sleep_for(5ms);  // ends after the deadline below, which was armed before
                g.open();
            };
            auto h = rondo::spawn(opens(), "opens");
            const auto n = co_await rondo::as_result(rondo::with_timeout(2ms, blocking([&] {
                                                                             g.pass();
                                                                             return 8;
                                                                         })));
            h.cancel();
            const auto ended = co_await rondo::as_result(h.join());
            if (!g.entered()) continue;
            CHECK((ended.has_value() || ended.error() == errc::cancelled));
            CHECK(n.value() == 8);
            break;
        }
    };
    run(body());
}

TEST_CASE("a race of a call against a timer waits for the call that runs") {
    auto body = []() -> task<> {
        gate g;
        std::atomic<bool> done{false};
        auto when_entered = [&]() -> task<> { co_await until_entered(g); };
        auto opens = [&]() -> task<> {
            co_await until_entered(g);
            co_await rondo::sleep_for(5ms);  // ends after the poll that when_entered is in
            g.open();
        };
        auto h = rondo::spawn(opens(), "opens");
        auto v = co_await rondo::race(blocking([&] {
                                          g.pass();
                                          done = true;
                                      }),
                                      when_entered());
        CHECK(v.index() == 1);
        CHECK(done.load());
        co_await h.join();
    };
    run(body());
}

TEST_CASE("a thousand calls on the default pool") {
    auto body = []() -> task<int> {
        std::vector<task<int>> calls;
        auto call = [](int i) -> task<int> {
            const int n = co_await blocking([i] { return i; });
            co_return n;
        };
        for (int i = 1; i <= 1000; ++i) calls.push_back(call(i));
        int sum = 0;
        const std::vector<int> values = co_await rondo::when_all(std::move(calls));
        for (const int v : values) sum += v;
        co_return sum;
    };
    CHECK(run(body()) == 500500);
}

TEST_CASE("a run inside a blocking call is another context") {
    auto body = []() -> task<int> {
        const int n = co_await blocking([] {
            auto inner = []() -> task<int> {
                co_await rondo::sleep_for(1ms);
                co_return 11;
            };
            return run(inner());
        });
        co_return n;
    };
    CHECK(run(body()) == 11);
}

TEST_CASE("the end of the run takes back calls that still wait for a thread, and waits for those that run") {
    std::atomic<bool> first_done{false};
    std::atomic<bool> second_ran{false};
    auto body = [&]() -> task<> {
        std::atomic<bool> entered{false};
        auto first = [&]() -> task<> {
            co_await blocking([&] {
                entered = true;
                std::this_thread::sleep_for(5ms);
                first_done = true;
            });
        };
        auto second = [&]() -> task<> { co_await blocking([&] { second_ran = true; }); };
        rondo::spawn(first(), "runs").detach();
        co_await until(entered);
        rondo::spawn(second(), "waits").detach();
        co_await this_job::yield();
    };
    run(runtime_options().blocking_threads(1), body());
    CHECK(first_done.load());
    CHECK_FALSE(second_ran.load());
}

TEST_CASE("a cancelled that the function throws is an error of the call, and cancels nobody") {
    auto throws = []() -> int { throw rondo::cancelled(rondo::cancel_reason::requested); };
    auto body = [&]() -> task<> {
        bool failed = false;
        try {
            (void)co_await blocking(throws);
        } catch (const rondo::error& e) {
            failed = e.code() == errc::cancelled;
        }
        CHECK(failed);
        const auto r = co_await rondo::as_result(blocking(throws));
        CHECK(r.error() == errc::cancelled);
    };
    run(body());
}
