#include <rondo/semaphore.hpp>

#include <chrono>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/event.hpp>
#include <rondo/race.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::run;
using rondo::semaphore;
using rondo::task;
namespace this_job = rondo::this_job;

namespace {

task<> log_with(semaphore& s, std::size_t n, std::string& log, char c) {
    auto permit = co_await s.acquire(n);
    log += c;
    co_await this_job::yield();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

static_assert(!std::is_copy_constructible_v<semaphore::permit>);

TEST_CASE("a semaphore bounds how many jobs are at work") {
    auto body = []() -> task<> {
        semaphore s(3);
        int now = 0;
        int most = 0;
        auto work = [&]() -> task<> {
            auto permit = co_await s.acquire();
            most = std::max(most, ++now);
            co_await this_job::yield();
            --now;
        };
        std::vector<task<>> jobs;
        for (int i = 0; i < 20; ++i) jobs.push_back(work());
        co_await rondo::when_all(std::move(jobs));
        CHECK(most == 3);
        CHECK(s.available() == 3);
    };
    run(body());
}

TEST_CASE("who waits for many permits is not overtaken by those who want few") {
    std::string log;
    auto body = [&]() -> task<> {
        semaphore s(4);
        auto held = co_await s.acquire(2);
        auto big = rondo::spawn(log_with(s, 4, log, 'B'), "big");
        auto small = rondo::spawn(log_with(s, 1, log, 's'), "small");
        co_await this_job::yield();
        CHECK(s.available() == 2);
        CHECK_FALSE(static_cast<bool>(s.try_acquire()));
        CHECK(log.empty());
        held.release();
        co_await small.join();
        CHECK(big.is_done());
    };
    run(body());
    CHECK(log == "Bs");
}

TEST_CASE("one released permit wakes one waiter, several wake as many as they are enough for") {
    std::string log;
    auto body = [&]() -> task<> {
        semaphore s(0, 10);
        auto a = rondo::spawn(log_with(s, 1, log, 'a'), "a");
        auto b = rondo::spawn(log_with(s, 2, log, 'b'), "b");
        auto c = rondo::spawn(log_with(s, 3, log, 'c'), "c");
        co_await this_job::yield();
        s.release();
        co_await a.join();
        CHECK(log == "a");
        CHECK(s.available() == 1);  // not enough for b
        s.release(4);
        co_await c.join();
        CHECK(log == "abc");
        CHECK(s.available() == 5);
    };
    run(body());
}

TEST_CASE("a waiter that wants much and is cancelled lets those behind it go") {
    std::string log;
    auto body = [&]() -> task<> {
        semaphore s(2);
        auto held = co_await s.acquire();
        auto big = rondo::spawn(log_with(s, 2, log, 'B'), "big");
        auto small = rondo::spawn(log_with(s, 1, log, 's'), "small");
        co_await this_job::yield();
        big.cancel();
        co_await small.join();
        CHECK(log == "s");
        const auto r = co_await rondo::as_result(big.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(s.available() == 1);
    };
    run(body());
}

TEST_CASE("a permit that was granted in the turn of the cancel goes to the next waiter") {
    std::string log;
    auto body = [&]() -> task<> {
        semaphore s(1);
        auto held = co_await s.acquire();
        auto a = rondo::spawn(log_with(s, 1, log, 'a'), "a");
        auto b = rondo::spawn(log_with(s, 1, log, 'b'), "b");
        co_await this_job::yield();
        held.release();
        a.cancel();
        CHECK(s.available() == 0);
        co_await b.join();
        CHECK(log == "ab");
        const auto r = co_await rondo::as_result(a.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(s.available() == 1);
    };
    run(body());
}

TEST_CASE("permits that come in the moment in which another wins the race go to the next") {
    std::string log;
    auto body = [&]() -> task<> {
        semaphore s(2);
        rondo::event e;
        auto held = co_await s.acquire(2);
        auto racing = [&]() -> task<> {
            const auto winner = co_await rondo::race(e.wait(), s.acquire(2));
            CHECK(winner.index() == 0);
        };
        auto r = rondo::spawn(racing(), "racing");
        co_await this_job::yield();
        auto next = rondo::spawn(log_with(s, 1, log, 'n'), "next");
        co_await this_job::yield();
        e.set();
        held.release();
        co_await r.join();
        co_await next.join();
        CHECK(log == "n");
        CHECK(s.available() == 2);
    };
    run(body());
}

TEST_CASE("more permits than the maximum are an error, not a wait") {
    auto body = []() -> task<> {
        semaphore s(4);
        const auto r = co_await rondo::as_result(s.acquire(5));
        CHECK(r.error() == errc::invalid_argument);
        CHECK(contains(r.error().text(), "5 permits of a maximum of 4"));
        bool thrown = false;
        try {
            auto permit = co_await s.acquire(5);
        } catch (const rondo::error& e) {
            thrown = e.fault() == errc::invalid_argument;
        }
        CHECK(thrown);
        CHECK_FALSE(static_cast<bool>(s.try_acquire(5)));
        auto all = co_await s.acquire(4);
        CHECK(all.count() == 4);
    };
    run(body());
}

TEST_CASE("no permits at all are there at once") {
    auto body = []() -> task<> {
        semaphore s(0);
        auto none = co_await s.acquire(0);
        CHECK(static_cast<bool>(none));
        CHECK(none.count() == 0);
    };
    run(body());
}

TEST_CASE("release makes permits up to the maximum, and none beyond") {
    auto body = []() -> task<> {
        semaphore s(1, 3);
        CHECK(s.maximum() == 3);
        auto held = co_await s.acquire();
        s.release(2);
        CHECK(s.available() == 2);
        CHECK_THROWS_AS(s.release(), rondo::error);
        CHECK(s.available() == 2);
        held.release();
        CHECK(s.available() == 3);
        CHECK(semaphore(5, 2).maximum() == 5);
    };
    run(body());
}

TEST_CASE("a permit is split, merged, given back early, and forgotten") {
    auto body = []() -> task<> {
        semaphore s(5);
        auto p = co_await s.acquire(5);
        auto two = p.split(2);
        CHECK(p.count() == 3);
        CHECK(two.count() == 2);
        CHECK_THROWS_AS(p.split(4), rondo::error);
        CHECK(p.count() == 3);
        two.release();
        CHECK_FALSE(static_cast<bool>(two));
        CHECK(two.count() == 0);
        CHECK(s.available() == 2);
        two.merge(p.split(1));
        p.merge(std::move(two));
        CHECK(p.count() == 3);
        semaphore other(1);
        auto foreign = co_await other.acquire();
        CHECK_THROWS_AS(p.merge(std::move(foreign)), rondo::error);
        CHECK(p.count() == 3);
        CHECK(foreign.count() == 1);
        p.forget();
        CHECK(s.available() == 2);
        p.forget();
        s.release(3);
        CHECK(s.available() == 5);
        CHECK_THROWS_AS(semaphore::permit().split(0), rondo::error);
    };
    run(body());
}

TEST_CASE("signals are counted: released on one side, acquired and forgotten on the other") {
    auto body = []() -> task<> {
        semaphore s(0, 1000);
        int heard = 0;
        auto listens = [&]() -> task<> {
            for (int i = 0; i < 100; ++i) {
                auto signal = co_await s.acquire();
                signal.forget();
                ++heard;
            }
        };
        auto h = rondo::spawn(listens(), "listens");
        for (int i = 0; i < 100; ++i) {
            s.release();
            if (i % 7 == 0) co_await this_job::yield();
        }
        co_await h.join();
        CHECK(heard == 100);
        CHECK(s.available() == 0);
    };
    run(body());
}

TEST_CASE("closing a semaphore ends the waits, those to come too; held permits stay good") {
    auto body = []() -> task<> {
        semaphore s(2);
        auto held = co_await s.acquire(2);
        auto waits = [&]() -> task<bool> {
            const auto r = co_await rondo::as_result(s.acquire());
            co_return !r.has_value() && r.error() == errc::closed;
        };
        auto a = rondo::spawn(waits(), "a");
        auto b = rondo::spawn(waits(), "b");
        co_await this_job::yield();
        s.close();
        CHECK(s.is_closed());
        CHECK(held.count() == 2);
        const bool first = co_await a.join();
        const bool second = co_await b.join();
        CHECK(first);
        CHECK(second);
        const bool later = co_await waits();
        CHECK(later);
        held.release();
        CHECK(s.available() == 2);
        CHECK_FALSE(static_cast<bool>(s.try_acquire()));
        bool thrown = false;
        try {
            auto permit = co_await s.acquire();
        } catch (const rondo::error& e) {
            thrown = e.fault() == errc::closed;
        }
        CHECK(thrown);
    };
    run(body());
}

TEST_CASE("a deadlock at a semaphore says how many permits are missing") {
    auto body = []() -> task<> {
        semaphore s(3);
        auto held = co_await s.acquire();
        auto all = co_await s.acquire(3);
    };
    std::string text;
    try {
        run(body());
    } catch (const rondo::error& e) {
        text = e.what();
    }
    CHECK(contains(text, "semaphore, 3 permits, taken at semaphore_test.cpp:"));
}
