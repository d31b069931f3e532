#include <rondo/async_generator.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::async_generator;
using rondo::errc;
using rondo::task;
using namespace std::chrono_literals;

namespace {

template <class F>
void on_virtual_time(F main) {
    rondo::virtual_clock clock;
    rondo::run(rondo::runtime_options().clock(clock), main());
}

async_generator<int> count_to(int n) {
    for (int i = 1; i <= n; ++i) co_yield int{i};
}
async_generator<int> slowly(int n) {
    for (int i = 1; i <= n; ++i) {
        co_await rondo::sleep_for(10ms);
        co_yield int{i};
    }
}
async_generator<std::string> copies() {
    const std::string same = "the same";
    co_yield same;
    co_yield same;
    CHECK(same == "the same");
}
async_generator<int> nested(int depth) {
    if (depth == 0) {
        co_yield 0;
        co_await rondo::this_job::yield();
        co_yield 1;
        co_return;
    }
    auto inner = nested(depth - 1);
    while (auto v = co_await inner.next()) co_yield *v + 2;
}

/// Counts destructions of what stands in a generator's frame.
struct guard {
    int* gone;
    explicit guard(int& n) : gone(&n) {}
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() { ++*gone; }
};
async_generator<int> guarded(int& gone) {
    const guard g(gone);
    co_yield 1;
    co_await rondo::sleep_for(1h);
    co_yield 2;
}

}  // namespace

TEST_CASE("a generator gives its values in order and then nothing, also when asked again") {
    rondo::run([]() -> task<> {
        auto g = count_to(3);
        std::vector<int> seen;
        while (auto v = co_await g.next()) seen.push_back(*v);
        CHECK(seen == std::vector{1, 2, 3});
        const auto again = co_await g.next();
        CHECK(!again);
    }());
}

TEST_CASE("it waits between values, and runs only while it is asked") {
    on_virtual_time([]() -> task<> {
        auto g = slowly(3);
        const auto start = rondo::detail::clock_now();
        co_await rondo::sleep_for(1s);
        std::vector<std::int64_t> at;
        while (auto v = co_await g.next()) at.push_back((rondo::detail::clock_now() - start) / 1'000'000);
        CHECK(at == std::vector<std::int64_t>{1010, 1020, 1030});
    });
}

TEST_CASE("values are moved out, and a yielded lvalue is copied") {
    rondo::run([]() -> task<> {
        auto owned = []() -> async_generator<std::unique_ptr<int>> {
            co_yield std::make_unique<int>(1);
            auto second = std::make_unique<int>(2);
            co_yield std::move(second);
        };
        auto g = owned();
        auto first = co_await g.next();
        auto second = co_await g.next();
        CHECK(**first == 1);
        CHECK(**second == 2);
        auto c = copies();
        auto a = co_await c.next();
        auto b = co_await c.next();
        CHECK(*a == "the same");
        CHECK(*b == "the same");
        const auto end = co_await c.next();
        CHECK(!end);
    }());
}

TEST_CASE("an exception comes out of next, once, and then it has ended") {
    rondo::run([]() -> task<> {
        auto fails = []() -> async_generator<int> {
            co_yield 1;
            co_await rondo::this_job::yield();
            throw std::runtime_error("no more");
        };
        auto g = fails();
        const auto first = co_await g.next();
        CHECK(*first == 1);
        std::string what;
        try {
            static_cast<void>(co_await g.next());
        } catch (const std::runtime_error& e) {
            what = e.what();
        }
        CHECK(what == "no more");
        const auto after = co_await g.next();
        CHECK(!after);
    }());
}

TEST_CASE("a million values that are there at once, on a flat stack") {
    rondo::run([]() -> task<> {
        auto g = count_to(1'000'000);
        std::int64_t sum = 0;
        while (auto v = co_await g.next()) sum += *v;
        CHECK(sum == 500'000'500'000);
    }());
}

TEST_CASE("generators within generators, deeper than calls nest") {
    rondo::run([]() -> task<> {
        auto g = nested(200);
        std::vector<int> seen;
        while (auto v = co_await g.next()) seen.push_back(*v);
        CHECK(seen == std::vector{400, 401});
    }());
}

TEST_CASE("one that is left early is destroyed where it stands") {
    int gone = 0;
    rondo::run([&]() -> task<> {
        {
            auto g = guarded(gone);
            const auto v = co_await g.next();
            CHECK(*v == 1);
            CHECK(gone == 0);
        }
        CHECK(gone == 1);
        { const auto never_asked = guarded(gone); }
        CHECK(gone == 1);
    }());
}

TEST_CASE("a timeout around next cancels the body's wait and ends the generator") {
    on_virtual_time([]() -> task<> {
        int gone = 0;
        auto g = guarded(gone);
        static_cast<void>(co_await g.next());
        const auto r = co_await rondo::as_result(rondo::with_timeout(1s, g.next()));
        CHECK(r.error().code() == rondo::make_error_code(errc::timed_out));
        CHECK(gone == 1);
        const auto after = co_await g.next();
        CHECK(!after);
    });
}

TEST_CASE("a second job that asks at the same time gets busy, and harms nothing") {
    on_virtual_time([]() -> task<> {
        auto g = slowly(1);
        auto ask = [](async_generator<int>* from) -> task<std::optional<int>> { co_return co_await from->next(); };
        auto h = rondo::spawn(ask, &g);
        co_await rondo::this_job::yield();
        const auto r = co_await rondo::as_result(ask(&g));
        CHECK(r.error().code() == rondo::make_error_code(errc::busy));
        const auto v = co_await h.join();
        CHECK(v == 1);
    });
}

TEST_CASE("a dump shows the await in the generator and the one that asked it") {
    on_virtual_time([]() -> task<> {
        std::string dump;
        auto asks = []() -> task<> {
            auto g = slowly(1);
            static_cast<void>(co_await g.next());
        };
        auto h = rondo::spawn(asks(), "reader");
        co_await rondo::this_job::yield();
        dump = rondo::dump_jobs();
        co_await h.join();
        const std::size_t job = dump.find("job reader");
        REQUIRE(job != std::string::npos);
        const std::string line = dump.substr(job);
        CHECK(line.find("sleep") != std::string::npos);
        CHECK(line.find(" <- async_generator_test.cpp:") != std::string::npos);
    });
}

TEST_CASE("a generator in a job that is destroyed at the end of the run goes with it") {
    int gone = 0;
    const auto before = rondo::on_report([](std::string_view) {});
    rondo::run(rondo::runtime_options().grace(0ms), [&]() -> task<> {
        auto swallows = [](int& n) -> task<> {
            auto g = guarded(n);
            for (;;) {
                bool over = false;
                try {
                    const auto v = co_await g.next();
                    over = !v;
                    co_await rondo::sleep_for(1h);
                } catch (const rondo::cancelled&) {}
                if (over) co_await rondo::this_job::yield();
            }
        };
        rondo::spawn(swallows(gone)).detach();
        co_await rondo::this_job::yield();
    }());
    rondo::on_report(before);
    CHECK(gone == 1);
}
