#include <rondo/spawn.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/event.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::errc;
using rondo::event;
using rondo::join_handle;
using rondo::run;
using rondo::spawn;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> reports;

/// Collects reports while it lives.
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

task<int> value(int x) {
    co_await this_job::yield();
    co_return x;
}
task<int> fail(const char* text) {
    co_await this_job::yield();
    throw std::runtime_error(text);
}
task<int> add(int a, std::unique_ptr<int> b) { co_return a + *b; }

}  // namespace

TEST_CASE("a spawned job starts on the next turn, not inside spawn") {
    auto body = []() -> task<> {
        bool started = false;
        auto job = [&]() -> task<> {
            started = true;
            co_return;
        };
        auto h = spawn(job(), "job");
        CHECK_FALSE(started);
        CHECK_FALSE(h.is_done());
        co_await this_job::yield();
        CHECK(started);
        CHECK(h.is_done());
        co_await h.join();
    };
    run(body());
}

TEST_CASE("join gives the value, waiting for it or not; awaiting the handle is the same") {
    auto body = []() -> task<int> {
        auto a = spawn(value(1), "a");
        auto b = spawn(value(20), "b");
        const int first = co_await b.join();
        const int second = co_await a;  // done already
        auto boxed = []() -> task<std::unique_ptr<int>> { co_return std::make_unique<int>(300); };
        auto c = spawn(boxed(), "c");
        const std::unique_ptr<int> third = co_await c.join();
        co_return first + second + *third;
    };
    CHECK(run(body()) == 321);
}

TEST_CASE("spawn and join in one expression") {
    auto body = []() -> task<int> {
        const int n = co_await spawn(value(5), "five").join();
        co_return n;
    };
    CHECK(run(body()) == 5);
}

TEST_CASE("a function and its arguments may be spawned; they are moved into the job") {
    auto body = []() -> task<int> {
        auto h = spawn(add, 1, std::make_unique<int>(2));
        auto l = spawn([](int x) -> task<int> { co_return x * 10; }, 4);
        const int a = co_await h.join();
        const int b = co_await l.join();
        co_return a + b;
    };
    CHECK(run(body()) == 43);
}

TEST_CASE("what a job throws comes out of every join of it") {
    const listening here;
    auto body = []() -> task<> {
        auto h = spawn(fail("of the job"), "fails");
        auto ask = [&]() -> task<std::string> {
            const auto r = co_await rondo::as_result(h.join());
            co_return r.error().text();
        };
        auto [a, b] = co_await rondo::when_all(ask(), ask());
        CHECK(a == "of the job");
        CHECK(b == "of the job");
        const std::string c = co_await ask();
        CHECK(c == "of the job");
        bool thrown = false;
        try {
            (void)co_await h.join();
        } catch (const std::runtime_error&) {
            thrown = true;
        }
        CHECK(thrown);
    };
    run(body());
    CHECK(reports.empty());
}

TEST_CASE("several jobs may join one; void ends are seen by all") {
    auto body = []() -> task<> {
        event e;
        auto waits = [&]() -> task<> { co_await e.wait(); };
        auto h = spawn(waits(), "worker");
        int seen = 0;
        auto ask = [&]() -> task<> {
            co_await h.join();
            ++seen;
        };
        auto opener = [&]() -> task<> {
            co_await this_job::yield();
            e.set();
        };
        co_await rondo::when_all(ask(), ask(), ask(), opener());
        CHECK(seen == 3);
    };
    run(body());
}

TEST_CASE("a detached job goes on") {
    auto body = []() -> task<> {
        event done;
        auto job = [&]() -> task<> {
            co_await this_job::yield();
            done.set();
        };
        spawn(job(), "detached").detach();
        co_await done.wait();
    };
    run(body());
}

TEST_CASE("an error that nobody observes is reported once, with the job's name and origin") {
    const listening here;
    int line = 0;
    auto body = [&]() -> task<> {
        line = __LINE__ + 1;
        spawn(fail("unseen"), "forgotten").detach();
        co_await this_job::yield();
        co_await this_job::yield();
        co_await this_job::yield();
        CHECK(reports.size() == 1);
    };
    run(body());
    REQUIRE(reports.size() == 1);
    CHECK(reports[0] == "job 'forgotten' spawned at spawn_test.cpp:" + std::to_string(line) +
                            " failed and nobody observed it: unseen");
}

TEST_CASE("an error in a handle that is dropped unasked is reported when it is dropped") {
    const listening here;
    auto body = []() -> task<> {
        {
            auto h = spawn(fail("dropped"), "held");
            for (int i = 0; i < 3; ++i) co_await this_job::yield();
            CHECK(h.is_done());
            CHECK(reports.empty());
        }
        CHECK(reports.size() == 1);
    };
    run(body());
    CHECK(reports.size() == 1);
}

TEST_CASE("the cancellation of a job is no error to report") {
    const listening here;
    auto body = []() -> task<> {
        event never;
        auto waits = [](event& e) -> task<> { co_await e.wait(); };
        auto h = spawn(waits(never), "cancelled");
        co_await this_job::yield();
        h.cancel();
        h.detach();
        for (int i = 0; i < 3; ++i) co_await this_job::yield();
    };
    run(body());
    CHECK(reports.empty());
}

TEST_CASE("a handle that is replaced detaches its job, and may outlive it") {
    auto body = []() -> task<> {
        auto h = spawn(value(1), "one");
        h = spawn(value(2), "two");
        const int n = co_await h.join();
        CHECK(n == 2);
        join_handle<int> moved = std::move(h);
        CHECK_FALSE(static_cast<bool>(h));
        CHECK(static_cast<bool>(moved));
        CHECK(moved.is_done());
    };
    run(body());
}

TEST_CASE("a handle may be dropped after the run") {
    std::vector<join_handle<tracked>> kept;
    auto body = [&]() -> task<> {
        auto gives = []() -> task<tracked> { co_return tracked(3); };
        kept.push_back(spawn(gives(), "kept"));
        co_await this_job::yield();
    };
    run(body());
    CHECK(tracked::alive == 1);
    kept.clear();
    CHECK(tracked::alive == 0);
}

TEST_CASE("spawning outside a run is an error, and the task is given back") {
    auto job = [](tracked) -> task<> { co_return; };
    try {
        (void)spawn(job(tracked()), "nowhere");
        FAIL("it should have thrown");
    } catch (const rondo::error& e) {
        CHECK(e.code() == errc::no_context);
    }
    CHECK(tracked::alive == 0);
}

TEST_CASE("jobs spawn jobs, ten thousand of them") {
    int ended = 0;
    auto body = [&]() -> task<> {
        auto leaf = [&]() -> task<> {
            co_await this_job::yield();
            ++ended;
        };
        auto branch = [&]() -> task<> {
            std::vector<join_handle<void>> all;
            for (int i = 0; i < 100; ++i) all.push_back(spawn(leaf(), "leaf"));
            for (auto& h : all) co_await h.join();
        };
        std::vector<join_handle<void>> all;
        for (int i = 0; i < 100; ++i) all.push_back(spawn(branch(), "branch"));
        for (auto& h : all) co_await h.join();
    };
    run(body());
    CHECK(ended == 10'000);
}
