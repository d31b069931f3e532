#include <rondo/as_result.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <rondo/cancelled.hpp>
#include <rondo/event.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>

#include "support/catch.hpp"

using rondo::as_result;
using rondo::errc;
using rondo::result;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

task<int> seven() {
    co_await this_job::yield();
    co_return 7;
}
task<> nothing() { co_return; }
task<int> fails_with_rondo_error() {
    co_await this_job::yield();
    throw rondo::error(rondo::fault(errc::limit_exceeded, "count").peer("here").outcome(rondo::outcome::not_sent));
}
task<int> fails_with_foreign_error() {
    throw std::out_of_range("foreign");
    co_return 0;
}

}  // namespace

TEST_CASE("as_result of a task gives its value") {
    auto body = []() -> task<> {
        result<int> r = co_await as_result(seven());
        CHECK(r.value() == 7);
        result<void> v = co_await as_result(nothing());
        CHECK(v.has_value());
        auto boxed = []() -> task<std::unique_ptr<int>> { co_return std::make_unique<int>(3); };
        result<std::unique_ptr<int>> box = co_await as_result(boxed());
        CHECK(**box == 3);
    };
    run(body());
}

TEST_CASE("as_result keeps the whole fault of a rondo error") {
    auto body = []() -> task<> {
        result<int> r = co_await as_result(fails_with_rondo_error());
        REQUIRE_FALSE(r.has_value());
        CHECK(r.error() == errc::limit_exceeded);
        CHECK(r.error().peer() == "here");
        CHECK(r.error().outcome() == rondo::outcome::not_sent);
        CHECK_THROWS_AS(r.value(), rondo::error);
    };
    run(body());
}

TEST_CASE("as_result keeps a foreign exception, which comes out again as itself") {
    auto body = []() -> task<> {
        result<int> r = co_await as_result(fails_with_foreign_error());
        REQUIRE_FALSE(r.has_value());
        CHECK(r.error() == errc::foreign_exception);
        CHECK(r.error().text() == "foreign");
        CHECK_THROWS_AS(r.value(), std::out_of_range);
    };
    run(body());
}

TEST_CASE("as_result of an operation needs no coroutine and throws nothing") {
    static_assert(!std::is_same_v<decltype(as_result(rondo::sleep_for(1s))), task<result<void>>>);
    auto body = []() -> task<> {
        result<void> slept = co_await as_result(rondo::sleep_for(0s));
        CHECK(slept.has_value());
        auto h = rondo::spawn(fails_with_rondo_error(), "fails");
        result<int> joined = co_await as_result(h.join());
        CHECK(joined.error() == errc::limit_exceeded);
    };
    run(body());
}

TEST_CASE("as_result does not hide the cancellation of its own job") {
    auto body = []() -> task<> {
        rondo::event never;
        bool went_on = false;
        auto on_a_task = [&]() -> task<> {
            auto waits = [&]() -> task<> { co_await never.wait(); };
            (void)co_await as_result(waits());
            went_on = true;
        };
        auto on_an_operation = [&]() -> task<> {
            (void)co_await as_result(never.wait());
            went_on = true;
        };
        auto a = rondo::spawn(on_a_task(), "a");
        auto b = rondo::spawn(on_an_operation(), "b");
        co_await this_job::yield();
        a.cancel();
        b.cancel();
        const auto ra = co_await as_result(a.join());
        const auto rb = co_await as_result(b.join());
        CHECK(ra.error() == errc::cancelled);
        CHECK(rb.error() == errc::cancelled);
        CHECK_FALSE(went_on);
    };
    run(body());
}

TEST_CASE("results in when_all settle everything without a failure") {
    auto body = []() -> task<> {
        auto [good, bad, op] = co_await rondo::when_all(as_result(seven()), as_result(fails_with_rondo_error()),
                                                        as_result(rondo::sleep_for(0s)));
        CHECK(good.value() == 7);
        CHECK(bad.error() == errc::limit_exceeded);
        CHECK(op.has_value());
    };
    run(body());
}
