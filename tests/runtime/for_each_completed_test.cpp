#include <rondo/for_each_completed.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/run.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::errc;
using rondo::for_each_completed;
using rondo::result;
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
task<int> fail_after(std::chrono::milliseconds d, const char* text) {
    co_await rondo::sleep_for(d);
    throw std::runtime_error(text);
}
std::vector<task<int>> countdown(int n) {
    std::vector<task<int>> tasks;
    for (int i = 0; i < n; ++i) tasks.push_back(after(std::chrono::milliseconds(n - i), i));
    return tasks;
}

template <class F>
auto run_virtual(F& body) {
    rondo::virtual_clock clock;
    return run(rondo::runtime_options().clock(clock), body());
}

}  // namespace

TEST_CASE("for_each_completed calls the function for every end, in completion order") {
    std::string order;
    auto body = [&]() -> task<> {
        co_await for_each_completed(countdown(6), [&](std::size_t i, result<int> r) {
            CHECK(r.value() == static_cast<int>(i));
            order += static_cast<char>('0' + i);
        });
    };
    run_virtual(body);
    CHECK(order == "543210");
}

TEST_CASE("a false of the function ends it: the rest is cancelled and awaited") {
    std::string order;
    auto body = [&]() -> task<> {
        co_await for_each_completed(countdown(6), [&](std::size_t i, const result<int>&) {
            order += static_cast<char>('0' + i);
            return i != 3;
        });
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
    CHECK(order == "543");
}

TEST_CASE("the function gets the errors of children as results") {
    std::string log;
    auto body = [&]() -> task<> {
        std::vector<task<int>> tasks;
        tasks.push_back(fail_after(2ms, "broken"));
        tasks.push_back(after(1ms, 1));
        co_await for_each_completed(std::move(tasks), [&](std::size_t, result<int> r) {
            if (r) log += "value ";
            else log += r.error().text();
        });
    };
    run_virtual(body);
    CHECK(log == "value broken");
}

TEST_CASE("what the function throws comes out after the children have ended") {
    auto body = []() -> task<> {
        int left = -1;
        std::string text;
        try {
            co_await for_each_completed(countdown(6), [&](std::size_t, const result<int>&) {
                left = tracked::alive;
                throw std::runtime_error("of the function");
            });
        } catch (const std::runtime_error& e) {
            text = e.what();
        }
        CHECK(text == "of the function");
        CHECK(left == 5);
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
}

TEST_CASE("a cancel meanwhile cancels the children, awaits them, and goes on as cancelled") {
    rondo::virtual_clock clock;
    auto body = [&]() -> task<> {
        int calls = 0;
        auto slow_end = []() -> task<int> {
            const tracked alive;
            try {
                co_await rondo::sleep_for(1h);
            } catch (const rondo::cancelled&) {}
            co_await rondo::shield(rondo::sleep_for(1s));
            co_return 1;
        };
        auto job = [&]() -> task<> {
            std::vector<task<int>> tasks = countdown(3);
            tasks.push_back(slow_end());
            co_await for_each_completed(std::move(tasks), [&](std::size_t, const result<int>&) { ++calls; });
        };
        auto h = rondo::spawn(job(), "each");
        co_await rondo::sleep_for(1500us);
        const auto begin = clock.now();
        h.cancel();
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(clock.now() - begin == 1s);
        CHECK(calls == 1);
        CHECK(tracked::alive == 0);
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("for_each_completed over nothing calls nothing") {
    int calls = 0;
    auto body = [&]() -> task<> {
        co_await for_each_completed(std::vector<task<int>>(), [&](std::size_t, const result<int>&) { ++calls; });
    };
    run(body());
    CHECK(calls == 0);
}

TEST_CASE("children of for_each_completed may refer to the caller's locals") {
    auto body = []() -> task<> {
        std::vector<int> local(3, 0);
        auto child = [&](std::size_t i) -> task<> {
            try {
                co_await rondo::sleep_for(std::chrono::hours(i));
            } catch (const rondo::cancelled&) {}
            co_await rondo::shield(rondo::sleep_for(1s));
            local[i] = 1;
        };
        std::vector<task<>> tasks;
        for (std::size_t i = 0; i < 3; ++i) tasks.push_back(child(i));
        co_await for_each_completed(std::move(tasks), [](std::size_t, const result<void>&) { return false; });
        CHECK(local == std::vector<int>{1, 1, 1});
    };
    run_virtual(body);
}
