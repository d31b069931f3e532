// What only a mistake in the code can do stops the program, and says which mistake and where.
//
// These checks are there unless NDEBUG is defined, so this program is not built for release stages.
#include <rondo/detail/programmer_error.hpp>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rondo/as_completed.hpp>
#include <rondo/event.hpp>
#include <rondo/promise.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>

#include "support/catch.hpp"
#include "support/ending.hpp"

using rondo::run;
using rondo::task;
using rondo::testing_support::ending;
using rondo::testing_support::in_child;
namespace this_job = rondo::this_job;

namespace {

task<int> number() { co_return 3; }
task<int> late_number() {
    co_await this_job::yield();
    co_return 3;
}

/// Runs `f`, which ends the program with this text if the check is there.
void stops(bool (*f)(), const std::string& text) {
    const ending e = in_child(f);
    INFO(e.said);
    CHECK(e.aborted());
    CHECK(e.says(text));
}

std::string here(int line) { return "programmer_error_test.cpp:" + std::to_string(line) + ": "; }

constexpr int second_await = __LINE__ + 4;
task<int> awaits_twice() {
    auto t = number();
    const int first = co_await std::move(t);
    const int second = co_await std::move(t);
    co_return first + second;
}

constexpr int await_of_moved = __LINE__ + 4;
task<int> awaits_moved() {
    auto t = number();
    const auto other = std::move(t);
    const int n = co_await std::move(t);
    co_return n;
}

}  // namespace

TEST_CASE("a task awaited twice stops the program and names the second await") {
    stops([] { return run(awaits_twice()) == 6; },
          here(second_await) + "co_await of a task that was awaited before: it runs once");
}

TEST_CASE("a task that was moved from stops the program where it is awaited") {
    stops([] { return run(awaits_moved()) == 3; }, here(await_of_moved) + "co_await of a task that was moved from");
}

TEST_CASE("a task that was moved from stops the program wherever it is started") {
    constexpr auto text = "a task that was moved from is started";
    SECTION("by run") {
        stops(
            [] {
                auto t = number();
                const auto other = std::move(t);
                return run(std::move(t)) == 3;
            },
            text);
    }
    SECTION("by spawn") {
        stops(
            [] {
                auto body = []() -> task<int> {
                    auto t = number();
                    const auto other = std::move(t);
                    auto h = rondo::spawn(std::move(t));
                    const int n = co_await h.join();
                    co_return n;
                };
                return run(body()) == 3;
            },
            text);
    }
    SECTION("by a combinator") {
        stops(
            [] {
                auto body = []() -> task<int> {
                    auto t = number();
                    const auto other = std::move(t);
                    const auto both = co_await rondo::when_all(number(), std::move(t));
                    co_return std::get<0>(both);
                };
                return run(body()) == 3;
            },
            text);
    }
}

TEST_CASE("a task that was awaited before stops the program where it is started again") {
    stops(
        [] {
            auto body = []() -> task<int> {
                auto t = number();
                const int first = co_await std::move(t);
                auto h = rondo::spawn(std::move(t));
                const int second = co_await h.join();
                co_return first + second;
            };
            return run(body()) == 6;
        },
        "a task that was awaited before is started again: it runs once");
}

TEST_CASE("an event that another thread sets stops the program") {
    stops(
        [] {
            auto body = []() -> task<> {
                rondo::event e;
                auto wait = [](rondo::event& on) -> task<> { co_await on.wait(); };
                auto h = rondo::spawn(wait(e), "waiter");
                co_await this_job::yield();
                std::thread([&] { e.set(); }).join();
                co_await h.join();
            };
            run(body());
            return true;
        },
        "a job was woken or cancelled on a thread that does not run it");
}

TEST_CASE("a join handle cancelled by another thread stops the program") {
    stops(
        [] {
            auto sleeper = []() -> task<> { co_await rondo::sleep_for(std::chrono::hours(1)); };
            auto main = [](task<> t) -> task<> {
                auto h = rondo::spawn(std::move(t), "sleeper");
                co_await this_job::yield();
                std::thread([&] { h.cancel(); }).join();
                co_await h.join();
            };
            run(main(sleeper()));
            return true;
        },
        "a job was woken or cancelled on a thread that does not run it");
}

TEST_CASE("a handle that holds no job stops the program when it is used") {
    constexpr auto text = "a join_handle that was moved from or detached is used";
    SECTION("after a move") {
        stops(
            [] {
                auto body = []() -> task<int> {
                    auto h = rondo::spawn(late_number());
                    auto other = std::move(h);
                    const int n = co_await h.join();
                    co_return n;
                };
                return run(body()) == 3;
            },
            text);
    }
    SECTION("after detach") {
        stops(
            [] {
                auto body = []() -> task<> {
                    auto h = rondo::spawn(late_number());
                    h.detach();
                    h.cancel();
                    co_return;
                };
                run(body());
                return true;
            },
            text);
    }
}

TEST_CASE("a stream of as_completed that was moved from stops the program when it is used") {
    stops(
        [] {
            auto body = []() -> task<> {
                std::vector<task<int>> tasks;
                tasks.push_back(number());
                auto s = rondo::as_completed(std::move(tasks));
                auto other = std::move(s);
                const auto first = co_await s.next();
            };
            run(body());
            return true;
        },
        "a stream of as_completed that was moved from is used");
}

TEST_CASE("a promise that was moved from stops the program when it is used") {
    constexpr auto text = "a promise that was moved from is used";
    SECTION("awaited") {
        stops(
            [] {
                auto body = []() -> task<int> {
                    auto p = rondo::promise<int>::resolved(3);
                    const auto other = std::move(p);
                    const int n = co_await p;
                    co_return n;
                };
                return run(body()) == 3;
            },
            text);
    }
    SECTION("asked") {
        stops(
            [] {
                auto body = []() -> task<> {
                    auto p = rondo::promise<int>::resolved(3);
                    const auto other = std::move(p);
                    const auto next = p.then([](int n) { return n; });
                    co_return;
                };
                run(body());
                return true;
            },
            text);
    }
}

TEST_CASE("a result that holds a fault stops the program when its value is taken unasked") {
    stops(
        [] {
            const rondo::result<int> r = rondo::fault(rondo::errc::closed);
            return *r == 3;
        },
        "* or -> of a result that holds a fault: test it first, or use value()");
}

TEST_CASE("code that makes none of these mistakes runs to its end") {
    const ending e = in_child([] { return run(late_number()) == 3; });
    INFO(e.said);
    CHECK(e.succeeded());
    CHECK(e.said.empty());
}
