#include <rondo/run.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/blocking.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/event.hpp>
#include <rondo/report.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::errc;
using rondo::event;
using rondo::run;
using rondo::runtime_options;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> reports;

class listening {
public:
    listening() : before_(rondo::on_report([](std::string_view text) { reports.emplace_back(text); })) {
        reports.clear();
    }
    ~listening() { rondo::on_report(before_); }
    listening(const listening&) = delete;
    listening& operator=(const listening&) = delete;

private:
    rondo::report_handler before_;
};

task<int> seven() { co_return 7; }

bool contains(const std::string& text, const char* part) { return text.find(part) != text.npos; }

/// The text of the deadlock that `t` runs into.
std::string deadlock_of(task<> t) {
    try {
        run(std::move(t));
    } catch (const rondo::error& e) {
        return e.code() == errc::deadlock ? e.what() : "another error: " + std::string(e.what());
    }
    return "no deadlock";
}

}  // namespace

TEST_CASE("run gives the value of its task, or nothing, or a move-only value") {
    CHECK(run(seven()) == 7);
    bool ran = false;
    auto nothing = [&]() -> task<> {
        ran = true;
        co_return;
    };
    run(nothing());
    CHECK(ran);
    auto boxed = []() -> task<std::unique_ptr<int>> { co_return std::make_unique<int>(3); };
    CHECK(*run(boxed()) == 3);
}

TEST_CASE("run throws what its task throws") {
    auto fails = []() -> task<int> {
        co_await this_job::yield();
        throw std::domain_error("out of run");
    };
    CHECK_THROWS_AS(run(fails()), std::domain_error);
}

TEST_CASE("one run after another, and runs on several threads at once") {
    for (int i = 0; i < 3; ++i) CHECK(run(seven()) == 7);
    int results[3] = {};
    std::vector<std::thread> threads;
    for (int& r : results) {
        threads.emplace_back([&r] {
            auto body = []() -> task<int> {
                co_await rondo::sleep_for(1ms);
                const int n = co_await seven();
                co_return n;
            };
            r = run(body());
        });
    }
    for (std::thread& t : threads) t.join();
    for (const int r : results) CHECK(r == 7);
}

TEST_CASE("a run inside a run is refused, and the outer one goes on") {
    auto body = []() -> task<> {
        std::string text;
        try {
            (void)run(seven());
        } catch (const rondo::error& e) {
            text = e.what();
            CHECK(e.code() == errc::busy);
        }
        CHECK(contains(text, "rondo::run"));
        co_await rondo::sleep_for(1ms);
    };
    run(body());
}

TEST_CASE("a run works with the smallest ring and the largest") {
    auto body = []() -> task<> {
        std::vector<task<>> many;
        auto nap = []() -> task<> { co_await rondo::sleep_for(1us); };
        for (int i = 0; i < 100; ++i) many.push_back(nap());
        co_await rondo::when_all(std::move(many));
    };
    run(runtime_options().ring_entries(1), body());
    run(runtime_options().ring_entries(100'000), body());
}

TEST_CASE("jobs that are left when the main task ends are cancelled and awaited") {
    bool cleaned = false;
    rondo::virtual_clock clock;
    auto job = [&]() -> task<> {
        bool was_cancelled = false;
        try {
            co_await rondo::sleep_for(1h);
        } catch (const rondo::cancelled& c) {
            was_cancelled = c.reason() == rondo::cancel_reason::shutdown;
        }
        co_await rondo::shield(rondo::sleep_for(1s));
        cleaned = was_cancelled;
    };
    auto body = [&]() -> task<int> {
        rondo::spawn(job(), "left").detach();
        co_await this_job::yield();
        co_return 1;
    };
    CHECK(run(runtime_options().clock(clock), body()) == 1);
    CHECK(cleaned);
}

TEST_CASE("jobs that stay beyond the grace period are reported by name, and run returns") {
    const listening here;
    rondo::virtual_clock clock;
    event never;
    bool ended_by_value = false;
    auto job = [&]() -> task<> {
        co_await rondo::shield(never.wait());
        ended_by_value = true;
    };
    auto body = [&]() -> task<int> {
        rondo::spawn(job(), "straggler").detach();
        co_await this_job::yield();
        co_return 1;
    };
    CHECK(run(runtime_options().clock(clock).grace(2s), body()) == 1);
    CHECK_FALSE(ended_by_value);
    REQUIRE_FALSE(reports.empty());
    CHECK(contains(reports[0], "grace period of 2 s"));
    CHECK(contains(reports[0], "straggler"));
    CHECK(contains(reports[0], "event"));
}

TEST_CASE("a straggler in a blocking call does not break the end of the run") {
    const listening here;
    auto body = []() -> task<int> {
        auto job = []() -> task<> { co_await rondo::blocking([] { std::this_thread::sleep_for(100ms); }); };
        rondo::spawn(job(), "blocked").detach();
        co_await rondo::sleep_for(5ms);
        co_return 1;
    };
    CHECK(run(runtime_options().grace(1ms), body()) == 1);
}

TEST_CASE("the main task's own cancellation is an ordinary error outside") {
    auto body = []() -> task<> {
        throw rondo::cancelled(rondo::cancel_reason::requested);
        co_return;
    };
    try {
        run(body());
        FAIL("it should have thrown");
    } catch (const rondo::error& e) {
        CHECK(e.code() == errc::cancelled);
    }
}

TEST_CASE("a wait that nothing can end is a deadlock, and the error names the wait and its place") {
    event never;
    int line = 0;
    auto body = [&]() -> task<> {
        line = __LINE__ + 1;
        co_await never.wait();
    };
    const std::string text = deadlock_of(body());
    CHECK(contains(text, "deadlock"));
    CHECK(contains(text, "job main: event"));
    CHECK(contains(text, ("run_test.cpp:" + std::to_string(line)).c_str()));
}

TEST_CASE("a deadlock names every job of the tree and what each waits for") {
    event a;
    event b;
    auto waits = [](event& e) -> task<> { co_await e.wait(); };
    auto body = [&]() -> task<> {
        auto h = rondo::spawn(waits(a), "reader");
        co_await rondo::when_all(waits(b), h.join());
    };
    const std::string text = deadlock_of(body());
    CHECK(contains(text, "job main"));
    CHECK(contains(text, "job reader"));
    CHECK(contains(text, "child: event"));
    CHECK(contains(text, "child: join"));
}

TEST_CASE("the main task sees a deadlock as a cancellation and can clean up; run throws all the same") {
    event never;
    bool cleaned = false;
    auto body = [&]() -> task<> {
        bool was_cancelled = false;
        try {
            co_await never.wait();
        } catch (const rondo::cancelled&) {
            was_cancelled = true;
        }
        co_await rondo::shield(rondo::sleep_for(1ms));
        cleaned = was_cancelled;
    };
    CHECK(contains(deadlock_of(body()), "deadlock"));
    CHECK(cleaned);
}

TEST_CASE("a spawned job that is part of a deadlock is ended too") {
    event never;
    auto waits = [](event& e) -> task<> {
        const tracked local;
        co_await e.wait();
    };
    auto body = [&]() -> task<> {
        auto h = rondo::spawn(waits(never), "part");
        co_await h.join();
    };
    CHECK(contains(deadlock_of(body()), "job part"));
    CHECK(tracked::alive == 0);
}

TEST_CASE("a main task that nobody can end is destroyed by its deadlock") {
    event never;
    auto body = [&]() -> task<> {
        const tracked local;
        co_await rondo::shield(never.wait());
    };
    CHECK(contains(deadlock_of(body()), "deadlock"));
    CHECK(tracked::alive == 0);
}

TEST_CASE("a main task that swallows every end and waits again is destroyed all the same") {
    event never;
    long ends = 0;
    auto body = [&]() -> task<> {
        const tracked local;
        for (;;) {
            try {
                co_await rondo::shield(never.wait());
            } catch (...) {
                ++ends;
            }
        }
    };
    CHECK(contains(deadlock_of(body()), "deadlock"));
    CHECK(tracked::alive == 0);
    CHECK(ends > 0);
}

TEST_CASE("a timer, a running call or a yield is no deadlock") {
    auto body = []() -> task<> {
        co_await rondo::sleep_for(2ms);
        co_await rondo::blocking([] { std::this_thread::sleep_for(2ms); });
        co_await this_job::yield();
        event never;
        const auto r = co_await rondo::as_result(rondo::with_timeout(1ms, never.wait()));
        CHECK(r.error() == errc::timed_out);
    };
    run(body());
}

TEST_CASE("numbers that would leave nothing to run on are refused by name") {
    CHECK_THROWS_WITH(rondo::runtime_options().ring_entries(0), "ring_entries: invalid argument: must be at least 1");
    CHECK_THROWS_WITH(rondo::runtime_options().blocking_threads(0),
                      "blocking_threads: invalid argument: must be at least 1");
}
