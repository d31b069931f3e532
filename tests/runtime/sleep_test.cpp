#include <rondo/sleep.hpp>

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>

#include "support/catch.hpp"

using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

TEST_CASE("a sleep is never early") {
    auto body = []() -> task<> {
        for (const auto d : {1ns, 1000ns, 1'000'000ns, 3'000'000ns}) {
            const auto begin = rondo::clock::now();
            co_await rondo::sleep_for(d);
            CHECK(rondo::clock::now() - begin >= d);
        }
        const auto until = rondo::clock::now() + 2ms;
        co_await rondo::sleep_until(until);
        CHECK(rondo::clock::now() >= until);
    };
    run(body());
}

TEST_CASE("a part of a nanosecond is slept as a whole one") {
    using picoseconds = std::chrono::duration<long long, std::pico>;
    rondo::virtual_clock clock;
    auto body = [&]() -> task<> {
        const auto begin = clock.now();
        co_await rondo::sleep_for(picoseconds(1500));
        CHECK(clock.now() - begin == 2ns);
        co_await rondo::sleep_for(std::chrono::duration<double>(0.5));
        CHECK(clock.now() - begin == 500ms + 2ns);
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("a sleep of nothing, of less, or until a time that is past does not wait") {
    auto body = []() -> task<> {
        bool other_ran = false;
        auto other = [&]() -> task<> {
            other_ran = true;
            co_return;
        };
        auto h = rondo::spawn(other(), "other");
        co_await rondo::sleep_for(0s);
        co_await rondo::sleep_for(-1h);
        co_await rondo::sleep_until(rondo::time_point());
        co_await rondo::sleep_until(rondo::time_point::min());
        CHECK_FALSE(other_ran);
        co_await h.join();
    };
    run(body());
}

TEST_CASE("of sleeps a nanosecond apart the one whose time comes first ends first") {
    std::string order;
    rondo::virtual_clock clock;
    auto nap = [&](rondo::time_point t, char c) -> task<> {
        co_await rondo::sleep_until(t);
        order += c;
        CHECK(clock.now() == t);
    };
    auto body = [&]() -> task<> {
        const auto t = clock.now() + 5s;
        co_await rondo::when_all(nap(t + 2ns, 'c'), nap(t, 'a'), nap(t + 1ns, 'b'), nap(t + 3ns, 'd'));
    };
    run(rondo::runtime_options().clock(clock), body());
    CHECK(order == "abcd");
}

TEST_CASE("sleeps that end at the same instant end in the order in which they began") {
    std::vector<int> order;
    rondo::virtual_clock clock;
    auto nap = [&](rondo::time_point t, int i) -> task<> {
        co_await rondo::sleep_until(t);
        order.push_back(i);
    };
    auto body = [&]() -> task<> {
        const auto t = clock.now() + 1h;
        std::vector<task<>> naps;
        for (int i = 0; i < 300; ++i) naps.push_back(nap(t, i));
        co_await rondo::when_all(std::move(naps));
    };
    run(rondo::runtime_options().clock(clock), body());
    REQUIRE(order.size() == 300);
    for (int i = 0; i < 300; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("a cancelled sleep ends at once and its timer with it") {
    rondo::virtual_clock clock;
    const auto begin = clock.now();
    auto body = [&]() -> task<> {
        auto nap = []() -> task<> { co_await rondo::sleep_for(1h); };
        auto h = rondo::spawn(nap(), "nap");
        co_await this_job::yield();
        h.cancel();
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error() == rondo::errc::cancelled);
        co_await rondo::sleep_for(1s);
    };
    run(rondo::runtime_options().clock(clock), body());
    CHECK(clock.now() - begin == 1s);
}

TEST_CASE("a duration that is not a number is no time at all") {
    constexpr std::chrono::duration<double> nan(std::numeric_limits<double>::quiet_NaN());
    CHECK(rondo::detail::to_ns(nan) == 0);
    auto body = [&]() -> task<> { co_await rondo::sleep_for(nan); };
    run(body());
}
