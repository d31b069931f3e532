#include <rondo/race.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/event.hpp>
#include <rondo/run.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::cancel_reason;
using rondo::errc;
using rondo::event;
using rondo::race;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

task<int> after(std::chrono::milliseconds d, int x) {
    const tracked alive;
    co_await rondo::sleep_for(d);
    co_return x;
}
task<int> ready(int x) { co_return x; }
task<int> fail_after(std::chrono::milliseconds d, const char* text) {
    co_await rondo::sleep_for(d);
    throw std::runtime_error(text);
}
task<int> fail_now(const char* text) {
    throw std::runtime_error(text);
    co_return 0;
}
task<std::unique_ptr<int>> boxed(int x) {
    co_await this_job::yield();
    co_return std::make_unique<int>(x);
}

template <class F>
auto run_virtual(F& body) {
    rondo::virtual_clock clock;
    return run(rondo::runtime_options().clock(clock), body());
}

template <class A>
task<std::string> error_of(A a) {
    const auto r = co_await rondo::as_result(std::move(a));
    co_return r.has_value() ? std::string("no error") : r.error().text();
}

}  // namespace

TEST_CASE("race gives the value of the first to settle, at its place") {
    auto body = []() -> task<> {
        std::variant<int, std::monostate, int> v =
            co_await race(after(30ms, 1), rondo::sleep_for(20ms), after(10ms, 3));
        CHECK(v.index() == 2);
        CHECK(std::get<2>(v) == 3);
        auto w = co_await race(after(30ms, 1), rondo::sleep_for(20ms));
        CHECK(w.index() == 1);
    };
    run_virtual(body);
}

TEST_CASE("the losers are gone when race returns, however long their clean-up takes") {
    rondo::virtual_clock clock;
    int cleaned = 0;
    auto loser = [&]() -> task<int> {
        const tracked local;
        cancel_reason why = cancel_reason::none;
        try {
            co_await rondo::sleep_for(1h);
        } catch (const rondo::cancelled& c) {
            why = c.reason();
        }
        co_await rondo::shield(rondo::sleep_for(5s));
        if (why == cancel_reason::lost_race) ++cleaned;
        co_await this_job::yield();
        co_return 0;
    };
    auto body = [&]() -> task<> {
        const auto begin = clock.now();
        auto v = co_await race(loser(), after(10ms, 7), loser());
        CHECK(v.index() == 1);
        CHECK(tracked::alive == 0);
        CHECK(cleaned == 2);
        CHECK(clock.now() - begin == 5s + 10ms);
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("an error that settles first is what race throws, and the others are cancelled") {
    auto body = []() -> task<> {
        const std::string text = co_await error_of(race(after(1h, 1), fail_after(1ms, "quick failure"), after(2h, 2)));
        CHECK(text == "quick failure");
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
}

TEST_CASE("an error that settles later is lost with the loser") {
    auto body = []() -> task<> {
        event go;
        auto waits = [&](int x) -> task<int> {
            co_await go.wait();
            co_return x;
        };
        auto fails = [&]() -> task<int> {
            co_await go.wait();
            throw std::runtime_error("a turn too late");
        };
        auto opener = [&]() -> task<int> {
            co_await this_job::yield();
            go.set();
            co_await rondo::sleep_for(1h);
            co_return 0;
        };
        auto v = co_await race(waits(1), fails(), opener());
        CHECK(v.index() == 0);
    };
    run_virtual(body);
}

TEST_CASE("who is ready at once wins, in either place, and whoever comes after it never starts") {
    auto body = []() -> task<> {
        bool started = false;
        auto late = [&]() -> task<int> {
            started = true;
            co_return 9;
        };
        auto first = co_await race(ready(1), rondo::sleep_for(1h));
        CHECK(first.index() == 0);
        auto second = co_await race(rondo::sleep_for(1h), ready(2));
        CHECK(second.index() == 1);
        auto third = co_await race(ready(3), late());
        CHECK(third.index() == 0);
        CHECK_FALSE(started);
    };
    run_virtual(body);
}

TEST_CASE("a failure at once beats a sleeper, in either place") {
    auto body = []() -> task<> {
        const std::string a = co_await error_of(race(fail_now("one"), after(1h, 1)));
        CHECK(a == "one");
        const std::string b = co_await error_of(race(after(1h, 1), fail_now("two")));
        CHECK(b == "two");
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
}

TEST_CASE("race over a range gives the winner's index and value") {
    auto body = []() -> task<> {
        std::vector<task<int>> tasks;
        for (int i = 0; i < 20; ++i) tasks.push_back(after(i == 13 ? 1ms : 1h, i));
        const std::pair<std::size_t, int> won = co_await race(std::move(tasks));
        CHECK(won.first == 13);
        CHECK(won.second == 13);
        CHECK(tracked::alive == 0);
        std::vector<task<std::unique_ptr<int>>> one;
        one.push_back(boxed(4));
        auto box = co_await race(std::move(one));
        CHECK(*box.second == 4);
    };
    run_virtual(body);
}

TEST_CASE("race over a range of nothing but void gives monostate") {
    auto body = []() -> task<> {
        auto nap = [](std::chrono::milliseconds d) -> task<> { co_await rondo::sleep_for(d); };
        std::vector<task<>> naps;
        naps.push_back(nap(2ms));
        naps.push_back(nap(1ms));
        std::pair<std::size_t, std::monostate> won = co_await race(std::move(naps));
        CHECK(won.first == 1);
    };
    run_virtual(body);
}

TEST_CASE("race of an empty range is an error, not a wait for ever") {
    auto body = []() -> task<> {
        const auto r = co_await rondo::as_result(race(std::vector<task<int>>()));
        CHECK(r.error() == errc::invalid_argument);
    };
    run(body());
}

TEST_CASE("race gives a value that a loser produced in the same turn to nobody, and drops it once") {
    auto body = []() -> task<> {
        event go;
        auto gives = [&](int x) -> task<tracked> {
            co_await go.wait();
            co_return tracked(x);
        };
        auto opener = [&]() -> task<> {
            co_await this_job::yield();
            go.set();
            co_await rondo::sleep_for(1h);
        };
        {
            auto v = co_await race(gives(1), gives(2), opener());
            CHECK(v.index() == 0);
            CHECK(std::get<0>(v).value == 1);
            CHECK(tracked::alive == 1);
        }
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
}

TEST_CASE("a cancel of the racing job cancels every child; nobody wins") {
    auto body = []() -> task<> {
        auto job = []() -> task<> { (void)co_await race(after(1h, 1), after(1h, 2)); };
        auto h = rondo::spawn(job(), "race");
        co_await this_job::yield();
        h.cancel();
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
}

TEST_CASE("a race that was won when the cancel came gives its value") {
    auto body = []() -> task<> {
        event e;
        int got = 0;
        auto waits = [&]() -> task<int> {
            co_await e.wait();
            co_return 5;
        };
        auto job = [&]() -> task<> {
            auto v = co_await race(after(1h, 1), waits());
            got = static_cast<int>(v.index()) * 100 + std::get<1>(v);
        };
        auto h = rondo::spawn(job(), "race");
        co_await this_job::yield();
        e.set();
        co_await this_job::yield();  // the child has ended, its race is queued
        h.cancel();
        co_await h.join();
        CHECK(got == 105);
    };
    run_virtual(body);
}

TEST_CASE("races nest, and may race when_all, joins and events") {
    auto body = []() -> task<> {
        event e;
        auto h = rondo::spawn(after(5ms, 50), "fifty");
        auto v = co_await race(race(e.wait(), after(1h, 1)), h.join(), race(after(2h, 2), rondo::sleep_for(3h)));
        CHECK(v.index() == 1);
        CHECK(std::get<1>(v) == 50);
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
}

TEST_CASE("a hundred races in a row leave nothing behind") {
    auto body = []() -> task<> {
        event never;
        for (int i = 0; i < 100; ++i) {
            auto v = co_await race(never.wait(), after(1h, 1), rondo::sleep_for(1ms));
            CHECK(v.index() == 2);
        }
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
}
