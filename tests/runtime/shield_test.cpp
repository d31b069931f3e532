#include <rondo/shield.hpp>

#include <stdexcept>
#include <string>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/event.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::event;
using rondo::run;
using rondo::shield;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

template <class F>
auto run_virtual(F& body) {
    rondo::virtual_clock clock;
    return run(rondo::runtime_options().clock(clock), body());
}

}  // namespace

TEST_CASE("a shield gives the value or the error of what it runs") {
    auto body = []() -> task<> {
        auto seven = []() -> task<int> {
            co_await this_job::yield();
            co_return 7;
        };
        auto fails = []() -> task<int> {
            co_await this_job::yield();
            throw std::runtime_error("under the shield");
        };
        const int n = co_await shield(seven());
        CHECK(n == 7);
        const auto r = co_await rondo::as_result(shield(fails()));
        CHECK(r.error().text() == "under the shield");
        co_await shield(rondo::sleep_for(1s));
    };
    run_virtual(body);
}

TEST_CASE("a timeout inside a shield bounds it") {
    auto body = []() -> task<> {
        event never;
        std::string text;
        auto job = [&]() -> task<> {
            try {
                co_await never.wait();
            } catch (const rondo::cancelled&) {
                text = "cancelled, ";
            }
            const auto r = co_await rondo::as_result(shield(rondo::with_timeout(1s, never.wait())));
            text += r.error() == errc::timed_out ? "then given up" : "?";
        };
        auto h = rondo::spawn(job(), "bounded");
        co_await this_job::yield();
        h.cancel();
        co_await h.join();
        CHECK(text == "cancelled, then given up");
    };
    run_virtual(body);
}

TEST_CASE("combinators under a shield of a cancelled job work as ever") {
    auto body = []() -> task<> {
        event never;
        int sum = 0;
        auto after = [](std::chrono::seconds d, int x) -> task<int> {
            co_await rondo::sleep_for(d);
            co_return x;
        };
        auto job = [&]() -> task<> {
            try {
                co_await never.wait();
            } catch (const rondo::cancelled&) {}
            auto [a, b] = co_await shield(rondo::when_all(after(1s, 1), after(2s, 2)));
            sum = a + b;
        };
        auto h = rondo::spawn(job(), "both");
        co_await this_job::yield();
        h.cancel();
        co_await h.join();
        CHECK(sum == 3);
    };
    run_virtual(body);
}

TEST_CASE("a shield inside a timeout makes the timeout wait, and its value wins") {
    rondo::virtual_clock clock;
    auto body = [&]() -> task<> {
        auto work = []() -> task<int> {
            co_await shield(rondo::sleep_for(5s));
            co_return 9;
        };
        const auto begin = clock.now();
        const int n = co_await rondo::with_timeout(1s, work());
        CHECK(n == 9);
        CHECK(clock.now() - begin == 5s);
    };
    run(rondo::runtime_options().clock(clock), body());
}
