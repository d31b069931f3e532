#include <rondo/barrier.hpp>

#include <string>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/race.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>

#include "support/catch.hpp"

using rondo::barrier;
using rondo::errc;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

template <class Barrier>
task<> steps(Barrier& b, std::string& log, char c, int n) {
    for (int i = 0; i < n; ++i) {
        log += c;
        co_await b.arrive_and_wait();
    }
}

}  // namespace

TEST_CASE("a barrier keeps jobs in step, phase after phase") {
    std::string log;
    auto body = [&]() -> task<> {
        barrier b(3);
        co_await rondo::when_all(steps(b, log, 'a', 3), steps(b, log, 'b', 3), steps(b, log, 'c', 3));
    };
    run(body());
    REQUIRE(log.size() == 9);
    for (const std::size_t phase : {0U, 3U, 6U}) {
        const std::string part = log.substr(phase, 3);
        CHECK(contains(part, "a"));
        CHECK(contains(part, "b"));
        CHECK(contains(part, "c"));
    }
}

TEST_CASE("the completion function runs once a phase, in the last to arrive, before anybody goes on") {
    std::string log;
    auto body = [&]() -> task<> {
        barrier b(2, [&]() noexcept { log += '|'; });
        co_await rondo::when_all(steps(b, log, 'a', 2), steps(b, log, 'b', 2));
    };
    run(body());
    CHECK(log == "ab|ba|");
}

TEST_CASE("a job that is cancelled at a barrier has not arrived") {
    std::string log;
    auto body = [&]() -> task<> {
        barrier b(2);
        auto a = rondo::spawn(steps(b, log, 'a', 1), "a");
        co_await this_job::yield();
        a.cancel();
        const auto r = co_await rondo::as_result(a.join());
        CHECK(r.error() == errc::cancelled);
        auto c = rondo::spawn(steps(b, log, 'c', 1), "c");
        co_await this_job::yield();
        co_await this_job::yield();
        CHECK_FALSE(c.is_done());
        co_await b.arrive_and_wait();
        co_await c.join();
    };
    run(body());
}

TEST_CASE("a job that is cancelled when the phase has ended goes on") {
    std::string log;
    auto body = [&]() -> task<> {
        barrier b(2);
        auto arrives = [&]() -> task<> {
            co_await b.arrive_and_wait();
            log += 'a';
        };
        auto a = rondo::spawn(arrives(), "a");
        co_await this_job::yield();
        co_await b.arrive_and_wait();
        a.cancel();
        co_await a.join();
        auto again = rondo::spawn(arrives(), "again");
        co_await b.arrive_and_wait();
        co_await again.join();
    };
    run(body());
    CHECK(log == "aa");
}

TEST_CASE("who drops out arrives for this phase and is not expected any more") {
    std::string log;
    auto body = [&]() -> task<> {
        barrier b(3, [&]() noexcept { log += '|'; });
        auto leaves = [&]() -> task<> {
            try {
                for (;;) co_await b.arrive_and_wait();
            } catch (const rondo::cancelled&) {
                b.arrive_and_drop();
                throw;
            }
        };
        auto gone = rondo::spawn(leaves(), "leaves");
        auto x = rondo::spawn(steps(b, log, 'x', 2), "x");
        auto y = rondo::spawn(steps(b, log, 'y', 2), "y");
        gone.cancel();  // before its start: it never came
        const auto never = co_await rondo::as_result(gone.join());
        CHECK(never.error() == errc::cancelled);
        auto again = rondo::spawn(leaves(), "leaves again");
        co_await this_job::yield();
        co_await this_job::yield();
        again.cancel();
        co_await x.join();
        co_await y.join();
        const auto r = co_await rondo::as_result(again.join());
        CHECK(r.error() == errc::cancelled);
    };
    run(body());
    CHECK(log == "xy|xy|");
}

TEST_CASE("the last who drops out ends the phase") {
    auto body = []() -> task<> {
        barrier b(2);
        std::string log;
        auto a = rondo::spawn(steps(b, log, 'a', 2), "a");
        co_await this_job::yield();
        b.arrive_and_drop();
        co_await a.join();  // alone from here on
        CHECK(log == "aa");
    };
    run(body());
}

TEST_CASE("a barrier is awaited as a child, and a deadlock there says who is missing") {
    auto body = []() -> task<> {
        barrier b(4);
        co_await rondo::when_all(b.arrive_and_wait(), b.arrive_and_wait());
    };
    std::string text;
    try {
        run(body());
    } catch (const rondo::error& e) {
        text = e.what();
    }
    CHECK(contains(text, "barrier, 2 to arrive"));
}
