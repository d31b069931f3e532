#include <rondo/job_local.hpp>

#include <chrono>
#include <memory>
#include <string>

#include <rondo/as_result.hpp>
#include <rondo/on.hpp>
#include <rondo/run.hpp>
#include <rondo/scope.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::task;
using namespace std::chrono_literals;

namespace {

rondo::job_local<std::string> request_id;
rondo::job_local<int> depth;

task<std::string> seen() {
    co_await rondo::this_job::yield();
    const std::string* id = request_id.get();
    co_return id != nullptr ? *id : "none";
}

}  // namespace

TEST_CASE("a bound value is seen by everything inside its await, and by nothing outside") {
    rondo::run([]() -> task<> {
        const std::string before = co_await seen();
        CHECK(before == "none");
        auto inside = []() -> task<> {
            const std::string direct = co_await seen();
            CHECK(direct == "r-17");
            auto [a, b] = co_await rondo::when_all(seen(), rondo::with_timeout(1s, seen()));
            CHECK(a == "r-17");
            CHECK(b == "r-17");
            co_await rondo::with_scope([](rondo::scope& s) -> task<> {
                auto h = s.spawn(seen());
                const std::string in_scope = co_await h.join();
                CHECK(in_scope == "r-17");
            });
        };
        co_await request_id.with("r-17", inside());
        const std::string after = co_await seen();
        CHECK(after == "none");
    }());
}

TEST_CASE("an inner binding hides the outer one until it ends, and keys do not mix") {
    rondo::run([]() -> task<> {
        auto inner = []() -> task<> {
            CHECK(*depth.get() == 2);
            const std::string id = co_await seen();
            CHECK(id == "outer");
        };
        auto outer = [&]() -> task<> {
            CHECK(*depth.get() == 1);
            co_await depth.with(2, inner());
            CHECK(*depth.get() == 1);
        };
        co_await request_id.with("outer", depth.with(1, outer()));
        CHECK(depth.get() == nullptr);
    }());
}

TEST_CASE("jobs at work at the same time each see their own") {
    rondo::run([]() -> task<> {
        auto [a, b] = co_await rondo::when_all(request_id.with("a", seen()), request_id.with("b", seen()));
        CHECK(a == "a");
        CHECK(b == "b");
    }());
}

TEST_CASE("a spawned job starts without, and so does a task on another context") {
    rondo::run(rondo::runtime_options().threads(2), []() -> task<> {
        auto inside = []() -> task<> {
            auto h = rondo::spawn(seen());
            const std::string spawned = co_await h.join();
            CHECK(spawned == "none");
            const std::string elsewhere = co_await rondo::on(rondo::context::at(1), seen());
            CHECK(elsewhere == "none");
            const std::string again = co_await rondo::on(rondo::context::at(1), []() -> task<std::string> {
                co_return co_await request_id.with("there", seen());
            }());
            CHECK(again == "there");
        };
        co_await request_id.with("here", inside());
    }());
}

TEST_CASE("a binding gives results and errors as they are, and goes with a cancellation") {
    rondo::virtual_clock clock;
    rondo::run(rondo::runtime_options().clock(clock), []() -> task<> {
        rondo::job_local<std::shared_ptr<int>> counted;
        auto value = std::make_shared<int>(1);
        const std::weak_ptr<int> watch = value;
        const auto r =
            co_await rondo::as_result(rondo::with_timeout(1s, counted.with(std::move(value), rondo::sleep_for(1h))));
        CHECK(r.error().code() == rondo::make_error_code(errc::timed_out));
        CHECK(watch.expired());
        co_await depth.with(1, rondo::sleep_for(1s));
    }());
    CHECK_THROWS_AS(static_cast<void>(depth.get()), rondo::error);
}
