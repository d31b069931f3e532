#include <rondo/latch.hpp>

#include <string>

#include <rondo/as_result.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::latch;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;

namespace {

task<> log_after(latch& l, std::string& log, char c) {
    co_await l.wait();
    log += c;
}
task<> arrive(latch& l, std::string& log, char c) {
    co_await l.arrive_and_wait();
    log += c;
}

}  // namespace

TEST_CASE("a latch lets its waiters go at zero, first come first resumed") {
    std::string log;
    auto body = [&]() -> task<> {
        latch l(3);
        auto a = rondo::spawn(log_after(l, log, 'a'), "a");
        auto b = rondo::spawn(log_after(l, log, 'b'), "b");
        co_await this_job::yield();
        l.count_down();
        CHECK_FALSE(l.try_wait());
        co_await this_job::yield();
        CHECK(log.empty());
        l.count_down(2);
        CHECK(l.try_wait());
        CHECK(log.empty());
        co_await l.wait();  // at zero: at once
        co_await b.join();
        CHECK(a.is_done());
    };
    run(body());
    CHECK(log == "ab");
}

TEST_CASE("who arrives at a latch counts and waits, and the last does not wait") {
    std::string log;
    auto body = [&]() -> task<> {
        latch l(3);
        co_await rondo::when_all(arrive(l, log, 'a'), arrive(l, log, 'b'), arrive(l, log, 'c'));
    };
    run(body());
    CHECK(log == "cab");
}

TEST_CASE("a cancelled wait at a latch ends at once, and what it counted stays counted") {
    std::string log;
    auto body = [&]() -> task<> {
        latch l(3);
        auto a = rondo::spawn(arrive(l, log, 'a'), "a");
        auto b = rondo::spawn(arrive(l, log, 'b'), "b");
        auto late = rondo::spawn(arrive(l, log, 'l'), "late");
        late.cancel();  // before it began: it counts nothing
        co_await this_job::yield();
        a.cancel();
        const auto r = co_await rondo::as_result(a.join());
        CHECK(r.error() == errc::cancelled);
        CHECK_FALSE(l.try_wait());
        l.count_down();
        CHECK(l.try_wait());
        co_await b.join();
    };
    run(body());
    CHECK(log == "b");
}

TEST_CASE("a latch of nothing is open") {
    auto body = []() -> task<> {
        latch l(0);
        CHECK(l.try_wait());
        co_await l.wait();
        co_await l.arrive_and_wait(0);
    };
    run(body());
}
