// g++ 12 compiles some coroutines to nothing. The door notices, and stops with a message instead of hanging for ever.
#include <coroutine>
#include <string>

#include <rondo/detail/job.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>

#include "support/catch.hpp"
#include "support/ending.hpp"

using rondo::run;
using rondo::task;
using rondo::testing_support::ending;
using rondo::testing_support::in_child;
namespace this_job = rondo::this_job;

namespace {

task<int> three() {
    co_await this_job::yield();
    co_return 3;
}

// What g++ 12.2 drops: nothing is declared in the outermost block, and a condition awaits.
task<int> victim() {
    if (co_await three() != 3) co_return 1;
    co_return 2;
}
constexpr int await_of_victim = __LINE__ + 2;
task<int> calls_victim() {
    const int n = co_await victim();
    co_return n;
}

task<int> safe() {
    const bool same = co_await three() == 3;
    if (!same) co_return 1;
    co_return 2;
}

}  // namespace

TEST_CASE("a coroutine that returns to its resumer from nowhere stops the program, saying what it may be") {
    const ending e = in_child([] {
        auto body = []() -> task<> {
            auto job = []() -> task<> { co_await rondo::sleep_for(std::chrono::hours(1)); };
            const auto h = rondo::spawn(job(), "victim");
            co_await this_job::yield();
            // A body that was dropped does what this does: nothing.
            rondo::detail::enter(rondo::detail::current_job(), std::noop_coroutine());
        };
        run(body());
        return true;
    });
    INFO(e.said);
    CHECK(e.aborted());
    CHECK(e.says("a coroutine returned without finishing or waiting"));
    CHECK(e.says("write `bool ok = co_await f();`"));
}

TEST_CASE("a body whose condition awaits either runs or stops the program with the place of the await") {
    const ending e = in_child([] { return run(calls_victim()) == 2; });
    INFO(e.said);
    if (e.aborted()) CHECK(e.says("awaited at dropped_body_test.cpp:" + std::to_string(await_of_victim)));
    else CHECK(e.succeeded());
}

TEST_CASE("spawned and run tasks whose body is dropped stop the program too") {
    const ending spawned = in_child([] {
        auto body = []() -> task<int> {
            const int n = co_await rondo::spawn(victim(), "victim").join();
            co_return n;
        };
        return run(body()) == 2;
    });
    INFO(spawned.said);
    CHECK((spawned.succeeded() || spawned.aborted()));
    const ending main = in_child([] { return run(victim()) == 2; });
    INFO(main.said);
    CHECK((main.succeeded() || main.aborted()));
}

TEST_CASE("the form that the message asks for runs under every compiler") { CHECK(run(safe()) == 2); }
