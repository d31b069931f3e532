#include <rondo/event.hpp>

#include <string>

#include <rondo/as_result.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::event;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;

namespace {

task<> log_after(event& e, std::string& log, char c) {
    co_await e.wait();
    log += c;
}

}  // namespace

TEST_CASE("an event wakes all its waiters, first come first resumed, and never inside set") {
    std::string log;
    auto body = [&]() -> task<> {
        event e;
        auto a = rondo::spawn(log_after(e, log, 'a'), "a");
        auto b = rondo::spawn(log_after(e, log, 'b'), "b");
        auto c = rondo::spawn(log_after(e, log, 'c'), "c");
        co_await this_job::yield();
        CHECK(log.empty());
        CHECK_FALSE(e.is_set());
        e.set();
        CHECK(log.empty());
        CHECK(e.is_set());
        co_await c.join();
        CHECK(log == "abc");
        CHECK((a.is_done() && b.is_done()));
    };
    run(body());
}

TEST_CASE("waiting for a set event does not wait") {
    auto body = []() -> task<> {
        event e;
        bool other_ran = false;
        auto other = [&]() -> task<> {
            other_ran = true;
            co_return;
        };
        auto h = rondo::spawn(other(), "other");
        e.set();
        e.set();
        co_await e.wait();
        co_await e.wait();
        CHECK_FALSE(other_ran);
        co_await h.join();
    };
    run(body());
}

TEST_CASE("a reset event waits again; those woken before stay woken") {
    std::string log;
    auto body = [&]() -> task<> {
        event e;
        auto a = rondo::spawn(log_after(e, log, 'a'), "a");
        co_await this_job::yield();
        e.set();
        e.reset();
        auto b = rondo::spawn(log_after(e, log, 'b'), "b");
        co_await a.join();
        co_await this_job::yield();
        CHECK(log == "a");
        e.set();
        co_await b.join();
        CHECK(log == "ab");
    };
    run(body());
}

TEST_CASE("a cancelled waiter leaves the line; its neighbours keep their order") {
    std::string log;
    auto body = [&]() -> task<> {
        event e;
        auto a = rondo::spawn(log_after(e, log, 'a'), "a");
        auto b = rondo::spawn(log_after(e, log, 'b'), "b");
        auto c = rondo::spawn(log_after(e, log, 'c'), "c");
        auto d = rondo::spawn(log_after(e, log, 'd'), "d");
        co_await this_job::yield();
        b.cancel();
        d.cancel();
        const auto r = co_await rondo::as_result(b.join());
        CHECK(r.error() == errc::cancelled);
        a.cancel();
        e.set();
        co_await c.join();
        CHECK(log == "c");
    };
    run(body());
}
