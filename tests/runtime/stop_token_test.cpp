#include <rondo/stop_token.hpp>

#include <chrono>
#include <thread>

#include <rondo/as_result.hpp>
#include <rondo/event.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>

#include "support/catch.hpp"

using rondo::task;

namespace {

task<> ends_by_a_stop_from_inside() {
    std::stop_source source;
    rondo::event never;
    auto body = [&]() -> task<> { co_await rondo::with_cancellation(source.get_token(), never.wait()); };
    auto h = rondo::spawn(body(), "waiter");
    co_await rondo::this_job::yield();
    source.request_stop();
    const auto r = co_await rondo::as_result(h.join());
    CHECK(r.error() == rondo::errc::cancelled);
    CHECK(r.error().text().find("with_cancellation") != std::string::npos);
}

task<> is_not_started_after_a_stop() {
    std::stop_source source;
    source.request_stop();
    bool started = false;
    auto body = [&]() -> task<> {
        started = true;
        co_return;
    };
    const auto r = co_await rondo::as_result(rondo::with_cancellation(source.get_token(), body()));
    CHECK(r.error() == rondo::errc::cancelled);
    CHECK_FALSE(started);
}

task<> a_value_comes_without_a_stop() {
    auto body = []() -> task<int> {
        co_await rondo::this_job::yield();
        co_return 4;
    };
    const std::stop_source source;
    const int first = co_await rondo::with_cancellation(source.get_token(), body());
    const int second = co_await rondo::with_cancellation(std::stop_token(), body());
    CHECK(first == 4);
    CHECK(second == 4);
}

task<> serve_until(std::stop_token stop, rondo::result<void>& outcome, bool& waits) {
    rondo::event never;
    auto forever = [&]() -> task<> {
        waits = true;
        co_await never.wait();
    };
    outcome = co_await rondo::as_result(rondo::with_cancellation(std::move(stop), forever()));
}

}  // namespace

TEST_CASE("a std::stop_token ends what runs under it") { rondo::run(ends_by_a_stop_from_inside()); }

TEST_CASE("nothing is started under a std::stop_token that was stopped before") {
    rondo::run(is_not_started_after_a_stop());
}

TEST_CASE("under a std::stop_token that never stops a value comes through") {
    rondo::run(a_value_comes_without_a_stop());
}

TEST_CASE("a jthread's stop ends the run that it holds") {
    for (int i = 0; i < 50; ++i) {
        rondo::result<void> outcome;
        bool waits = false;
        {
            std::jthread t([&](std::stop_token stop) { rondo::run(serve_until(std::move(stop), outcome, waits)); });
            if (i % 2 == 0) std::this_thread::yield();
        }  // requests the stop and joins
        CHECK(outcome.error() == rondo::errc::cancelled);
    }
}
