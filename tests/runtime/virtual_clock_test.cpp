#include <rondo/virtual_clock.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <rondo/as_completed.hpp>
#include <rondo/as_result.hpp>
#include <rondo/blocking.hpp>
#include <rondo/event.hpp>
#include <rondo/promise.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::run;
using rondo::task;
using rondo::virtual_clock;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

TEST_CASE("ten promises that wait 10 to 1 seconds settle in the order 1 to 10, exactly on time") {
    virtual_clock clock;
    std::string order;
    std::vector<rondo::duration> at;
    const auto begin = clock.now();
    auto body = [&]() -> task<> {
        std::vector<rondo::promise<int>> promises;
        for (int n = 10; n >= 1; --n) {
            auto wait = [](int seconds) -> task<int> {
                co_await rondo::sleep_for(std::chrono::seconds(seconds));
                co_return seconds;
            };
            auto p = rondo::promise<int>::from(wait(n));
            p.then([&](int i) {
                order += std::to_string(i) + " ";
                at.push_back(clock.now() - begin);
            });
            promises.push_back(std::move(p));
        }
        const std::vector<int> all = co_await rondo::promise<int>::all(promises);
        CHECK(all == std::vector<int>{10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
    };
    run(rondo::runtime_options().clock(clock), body());
    CHECK(order == "1 2 3 4 5 6 7 8 9 10 ");
    REQUIRE(at.size() == 10);
    for (int n = 1; n <= 10; ++n) CHECK(at[static_cast<std::size_t>(n) - 1] == std::chrono::seconds(n));
    CHECK(clock.now() - begin == 10s);
}

TEST_CASE("the same as tasks: as_completed gives them in completion order") {
    virtual_clock clock;
    std::string order;
    auto body = [&]() -> task<> {
        std::vector<task<int>> tasks;
        auto wait = [](int seconds) -> task<int> {
            co_await rondo::sleep_for(std::chrono::seconds(seconds));
            co_return seconds;
        };
        for (int n = 10; n >= 1; --n) tasks.push_back(wait(n));
        auto s = rondo::as_completed(std::move(tasks));
        while (auto done = co_await s.next()) order += std::to_string(done->second.value()) + " ";
    };
    run(rondo::runtime_options().clock(clock), body());
    CHECK(order == "1 2 3 4 5 6 7 8 9 10 ");
}

TEST_CASE("time stands still while anything can run") {
    virtual_clock clock;
    auto body = [&]() -> task<> {
        const auto begin = clock.now();
        auto busy = []() -> task<> {
            for (int i = 0; i < 1000; ++i) co_await this_job::yield();
        };
        auto nap = [&]() -> task<> {
            co_await rondo::sleep_for(1ns);
            CHECK(clock.now() - begin == 1ns);
        };
        auto still = [&]() -> task<> {
            co_await busy();
            CHECK(clock.now() == begin);
        };
        co_await rondo::when_all(nap(), still());
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("it starts where it is told, and one second after the epoch by default") {
    CHECK(virtual_clock().now() == rondo::time_point(1s));
    virtual_clock later(rondo::time_point(24h));
    auto body = [&]() -> task<> {
        co_await rondo::sleep_until(rondo::time_point(25h));
        CHECK(later.now() == rondo::time_point(25h));
    };
    run(rondo::runtime_options().clock(later), body());
}

TEST_CASE("advance moves time by hand, and what has become due ends on the next turn") {
    virtual_clock clock;
    auto body = [&]() -> task<> {
        std::string log;
        auto nap = [&](std::chrono::seconds d, char c) -> task<> {
            co_await rondo::sleep_for(d);
            log += c;
        };
        auto a = rondo::spawn(nap(5s, 'a'), "a");
        auto b = rondo::spawn(nap(10s, 'b'), "b");
        co_await this_job::yield();
        clock.advance(7s);
        const auto now = clock.now();
        CHECK(log.empty());
        co_await a.join();
        CHECK(log == "a");
        CHECK(clock.now() == now);
        CHECK_FALSE(b.is_done());
        co_await b.join();
        CHECK(clock.now() == now + 3s);
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("one clock serves one run after another and goes on") {
    virtual_clock clock;
    auto nap = []() -> task<> { co_await rondo::sleep_for(1h); };
    const auto begin = clock.now();
    run(rondo::runtime_options().clock(clock), nap());
    run(rondo::runtime_options().clock(clock), nap());
    CHECK(clock.now() - begin == 2h);
}

TEST_CASE("a blocking call that a job waits for holds the clock") {
    virtual_clock clock;
    auto body = [&]() -> task<> {
        const auto begin = clock.now();
        auto call = [&]() -> task<rondo::duration> {
            co_await rondo::blocking([] { std::this_thread::sleep_for(20ms); });
            co_return clock.now() - begin;
        };
        auto nap = []() -> task<> { co_await rondo::sleep_for(1ns); };
        auto [ended_at, slept] = co_await rondo::when_all(call(), nap());
        CHECK(ended_at == 0ns);
        CHECK(clock.now() - begin == 1ns);
        (void)slept;
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("timeouts of days take no time, also around a foreign call that ends first") {
    virtual_clock clock;
    auto body = [&]() -> task<> {
        rondo::event never;
        const auto begin = clock.now();
        const auto r = co_await rondo::as_result(rondo::with_timeout(48h, never.wait()));
        CHECK(r.error() == rondo::errc::timed_out);
        CHECK(clock.now() - begin == 48h);
        const int n = co_await rondo::with_timeout(1ns, rondo::blocking([] { return 5; }));
        CHECK(n == 5);
    };
    run(rondo::runtime_options().clock(clock), body());
}
