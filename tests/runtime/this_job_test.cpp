#include <rondo/this_job.hpp>

#include <string>

#include <rondo/as_result.hpp>
#include <rondo/event.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;

TEST_CASE("yield lets every other ready job run first, in turns") {
    std::string log;
    auto twice = [&](char c) -> task<> {
        log += c;
        co_await this_job::yield();
        log += c;
    };
    auto body = [&]() -> task<> {
        auto a = rondo::spawn(twice('a'), "a");
        auto b = rondo::spawn(twice('b'), "b");
        co_await this_job::yield();
        log += 'm';
        co_await a.join();
        co_await b.join();
    };
    run(body());
    CHECK(log == "abmab");
}

TEST_CASE("yield throws when the job was cancelled while it was queued") {
    auto body = []() -> task<> {
        bool went_on = false;
        auto job = [&]() -> task<> {
            co_await this_job::yield();
            went_on = true;
        };
        auto h = rondo::spawn(job(), "yields");
        co_await this_job::yield();  // it has started and is queued again
        h.cancel();
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error() == errc::cancelled);
        CHECK_FALSE(went_on);
    };
    run(body());
}

TEST_CASE("who never has to wait still lets the others run now and then") {
    auto body = []() -> task<> {
        bool other_ran = false;
        auto other = [&]() -> task<> {
            other_ran = true;
            co_return;
        };
        auto h = rondo::spawn(other(), "other");
        rondo::event set;
        set.set();
        int waits = 0;
        while (!other_ran && waits < 100'000) {
            co_await set.wait();
            ++waits;
        }
        CHECK(other_ran);
        CHECK(waits > 1);
        co_await h.join();
    };
    run(body());
}

TEST_CASE("about this job there is nothing to say outside of one") {
    CHECK_THROWS_AS(this_job::is_cancelled(), rondo::error);
    try {
        (void)this_job::reason();
        FAIL("it should have thrown");
    } catch (const rondo::error& e) {
        CHECK(e.code() == errc::no_context);
        CHECK(std::string(e.what()).find("rondo::run") != std::string::npos);
    }
}
