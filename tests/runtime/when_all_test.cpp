#include <rondo/when_all.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
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
using rondo::run;
using rondo::task;
using rondo::when_all;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

task<int> after(std::chrono::milliseconds d, int x) {
    const tracked alive;
    co_await rondo::sleep_for(d);
    co_return x;
}
task<> log_after(std::chrono::milliseconds d, std::string& log, char c) {
    co_await rondo::sleep_for(d);
    log += c;
}
task<int> fail_after(std::chrono::milliseconds d, const char* text) {
    co_await rondo::sleep_for(d);
    throw std::runtime_error(text);
}
task<std::unique_ptr<int>> boxed(int x) {
    co_await this_job::yield();
    co_return std::make_unique<int>(x);
}

/// Runs `body()` where an hour takes no time.
template <class F>
auto run_virtual(F& body) {
    rondo::virtual_clock clock;
    return run(rondo::runtime_options().clock(clock), body());
}

}  // namespace

TEST_CASE("when_all gives the results in the order of its arguments, whatever the order of their ends") {
    auto body = []() -> task<> {
        auto [a, b, c] = co_await when_all(after(30ms, 1), after(10ms, 2), after(20ms, 3));
        CHECK(a == 1);
        CHECK(b == 2);
        CHECK(c == 3);
    };
    run_virtual(body);
}

TEST_CASE("when_all starts its children in order, each until its first wait, and runs them at the same time") {
    std::string log;
    rondo::virtual_clock clock;
    auto child = [&](char c, std::chrono::milliseconds d) -> task<> {
        log += c;
        co_await rondo::sleep_for(d);
        log += static_cast<char>(c - 'a' + 'A');
    };
    auto body = [&]() -> task<> {
        const auto begin = clock.now();
        co_await when_all(child('a', 30ms), child('b', 10ms), child('c', 20ms));
        CHECK(clock.now() - begin == 30ms);
    };
    run(rondo::runtime_options().clock(clock), body());
    CHECK(log == "abcBCA");
}

TEST_CASE("void results of when_all stand as monostate in a pack, and are nothing in a range") {
    std::string log;
    auto body = [&]() -> task<> {
        auto both = co_await when_all(log_after(1ms, log, 'a'), after(1ms, 5), rondo::sleep_for(2ms));
        static_assert(std::is_same_v<decltype(both), std::tuple<std::monostate, int, std::monostate>>);
        CHECK(std::get<1>(both) == 5);
        std::vector<task<>> more;
        more.push_back(log_after(2ms, log, 'c'));
        more.push_back(log_after(1ms, log, 'b'));
        static_assert(std::is_void_v<decltype(when_all(std::move(more)).finish())>);
        co_await when_all(std::move(more));
    };
    run_virtual(body);
    CHECK(log == "abc");
}

TEST_CASE("when_all over a range gives a vector in the order of the range") {
    auto body = []() -> task<std::vector<int>> {
        std::vector<task<int>> tasks;
        for (int i = 0; i < 50; ++i) tasks.push_back(after(std::chrono::milliseconds(50 - i), i));
        std::vector<int> values = co_await when_all(std::move(tasks));
        co_return values;
    };
    const std::vector<int> values = run_virtual(body);
    REQUIRE(values.size() == 50);
    for (int i = 0; i < 50; ++i) CHECK(values[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("when_all of an empty range is done at once") {
    auto body = []() -> task<> {
        const std::vector<int> none = co_await when_all(std::vector<task<int>>());
        CHECK(none.empty());
        co_await when_all(std::vector<task<>>());
    };
    run(body());
}

TEST_CASE("when_all moves move-only results out") {
    auto body = []() -> task<int> {
        auto [a, b] = co_await when_all(boxed(1), boxed(20));
        std::vector<task<std::unique_ptr<int>>> range;
        range.push_back(boxed(300));
        std::vector<std::unique_ptr<int>> c = co_await when_all(std::move(range));
        co_return *a + *b + *c.front();
    };
    CHECK(run(body()) == 321);
}

TEST_CASE("the first failure cancels the others, waits for them, and is what when_all throws") {
    std::string log;
    auto tidy = [&](char c) -> task<> {
        std::exception_ptr stop;
        cancel_reason why = cancel_reason::none;
        try {
            co_await rondo::sleep_for(1h);
        } catch (const rondo::cancelled& e) {
            why = e.reason();
        }
        co_await rondo::shield(rondo::sleep_for(10ms));
        log += c;
        if (why != cancel_reason::sibling_failed) log += '!';
        co_await this_job::yield();
    };
    auto body = [&]() -> task<> {
        std::string text;
        try {
            co_await when_all(tidy('a'), fail_after(5ms, "first"), tidy('b'), fail_after(6ms, "second"));
        } catch (const std::runtime_error& e) {
            text = e.what();
        }
        CHECK(text == "first");
        CHECK(log == "ab");
    };
    run_virtual(body);
}

TEST_CASE("of failures in the same turn the first to end counts, and children are gone when when_all throws") {
    auto body = []() -> task<> {
        event go;
        auto fails = [&](const char* text) -> task<> {
            const tracked local;
            co_await go.wait();
            throw std::runtime_error(text);
        };
        auto opener = [&]() -> task<> {
            co_await this_job::yield();
            go.set();
        };
        std::string text;
        try {
            co_await when_all(fails("one"), fails("two"), opener());
        } catch (const std::runtime_error& e) {
            text = e.what();
        }
        CHECK(text == "one");
        CHECK(tracked::alive == 0);
    };
    run(body());
}

TEST_CASE("a failure of when_all over a range names the child's own error") {
    auto body = []() -> task<> {
        std::vector<task<int>> tasks;
        for (int i = 0; i < 10; ++i) tasks.push_back(after(1h, i));
        tasks.push_back(fail_after(1ms, "of the eleventh"));
        const auto r = co_await rondo::as_result(when_all(std::move(tasks)));
        REQUIRE_FALSE(r.has_value());
        CHECK(r.error().text() == "of the eleventh");
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
}

TEST_CASE("operations go into when_all as they are") {
    auto body = []() -> task<> {
        event e;
        auto setter = [&]() -> task<> {
            co_await rondo::sleep_for(1ms);
            e.set();
        };
        auto h = rondo::spawn(after(2ms, 9), "nine");
        auto [a, b, c, d] = co_await when_all(e.wait(), rondo::sleep_for(3ms), h.join(), setter());
        CHECK(c == 9);
        (void)a, (void)b, (void)d;
    };
    run_virtual(body);
}

TEST_CASE("when_all nests in itself") {
    auto body = []() -> task<int> {
        auto inner = [](int x) -> task<int> {
            auto [a, b] = co_await when_all(after(1ms, x), after(2ms, x * 10));
            co_return a + b;
        };
        auto [p, q] = co_await when_all(inner(1), inner(2));
        auto r = co_await when_all(when_all(after(1ms, 5), after(1ms, 6)), after(1ms, 7));
        const auto [five, six] = std::get<0>(r);
        co_return p + q + five + six + std::get<1>(r);
    };
    CHECK(run_virtual(body) == 33 + 18);
}

TEST_CASE("children that all end during the start do not make when_all wait") {
    auto body = []() -> task<> {
        bool other_ran = false;
        auto other = [&]() -> task<> {
            other_ran = true;
            co_return;
        };
        auto h = rondo::spawn(other(), "other");
        auto ready = [](int x) -> task<int> { co_return x; };
        const auto [a, b] = co_await when_all(ready(1), ready(2));
        CHECK(a + b == 3);
        CHECK_FALSE(other_ran);
        co_await h.join();
    };
    run(body());
}

TEST_CASE("cancelling a job inside when_all cancels the children and then throws cancelled") {
    auto body = []() -> task<> {
        auto job = []() -> task<> { co_await when_all(after(1h, 1), after(2h, 2)); };
        auto h = rondo::spawn(job(), "all");
        co_await this_job::yield();
        CHECK(tracked::alive == 2);
        h.cancel();
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
}

TEST_CASE("a when_all whose children all had values when the cancel came gives them") {
    auto body = []() -> task<> {
        event e;
        bool got = false;
        auto waits = [&](int x) -> task<int> {
            co_await e.wait();
            co_return x;
        };
        auto job = [&]() -> task<> {
            auto [a, b] = co_await when_all(waits(1), waits(2));
            got = a == 1 && b == 2;
        };
        auto h = rondo::spawn(job(), "all");
        co_await this_job::yield();
        e.set();
        h.cancel();
        co_await h.join();
        CHECK(got);
    };
    run(body());
}

TEST_CASE("a task that is dropped with its when_all never runs") {
    {
        auto never = when_all(after(1ms, 1), after(1ms, 2));
        (void)never;
    }
    CHECK(tracked::alive == 0);
}

TEST_CASE("a thousand children at once are a thousand results") {
    auto body = []() -> task<int> {
        std::vector<task<int>> tasks;
        for (int i = 1; i <= 1000; ++i) tasks.push_back(after(std::chrono::milliseconds(i % 7), i));
        int sum = 0;
        const std::vector<int> values = co_await when_all(std::move(tasks));
        for (const int v : values) sum += v;
        co_return sum;
    };
    CHECK(run_virtual(body) == 500500);
    CHECK(tracked::alive == 0);
}
