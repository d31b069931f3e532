#include <rondo/cancel_source.hpp>

#include <thread>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/event.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>

#include "support/catch.hpp"

using rondo::task;
using namespace std::chrono_literals;

namespace {

task<> cancels_from_inside() {
    const rondo::cancel_source source;
    rondo::event never;
    auto body = [&]() -> task<> { co_await rondo::with_cancellation(source.token(), never.wait()); };
    auto h = rondo::spawn(body(), "waiter");
    co_await rondo::this_job::yield();
    source.cancel();
    source.cancel();  // has no effect
    const auto r = co_await rondo::as_result(h.join());
    CHECK(r.error() == rondo::errc::cancelled);
    CHECK(r.error().text().find("with_cancellation") != std::string::npos);
}

task<> is_not_started_after_cancel() {
    const rondo::cancel_source source;
    source.cancel();
    bool started = false;
    auto body = [&]() -> task<> {
        started = true;
        co_return;
    };
    const auto r = co_await rondo::as_result(rondo::with_cancellation(source.token(), body()));
    CHECK(r.error() == rondo::errc::cancelled);
    CHECK_FALSE(started);
}

task<> a_value_wins() {
    const rondo::cancel_source source;
    auto body = [&]() -> task<int> {
        source.cancel();
        co_return 3;  // never waits, so it ends with its value
    };
    const int n = co_await rondo::with_cancellation(source.token(), body());
    CHECK(n == 3);
}

task<> a_token_without_a_source_never_fires() {
    auto body = []() -> task<int> {
        co_await rondo::this_job::yield();
        co_return 4;
    };
    const int n = co_await rondo::with_cancellation(rondo::cancel_token(), body());
    CHECK(n == 4);
}

// Ends race with cancels: whoever wins, nothing hangs and nothing refers to what is gone.
task<> races_with_a_thread(int rounds) {
    int cancelled = 0;
    int done = 0;
    for (int i = 0; i < rounds; ++i) {
        const rondo::cancel_source source;
        std::thread other([source] { source.cancel(); });
        auto body = [](int yields) -> task<> {
            for (int k = 0; k < yields; ++k) co_await rondo::this_job::yield();
        };
        const auto r = co_await rondo::as_result(rondo::with_cancellation(source.token(), body(i % 7 * 100)));
        if (r) ++done;
        else ++cancelled;
        other.join();
    }
    CHECK(cancelled + done == rounds);
}

task<> many_waiters(int n) {
    const rondo::cancel_source source;
    rondo::event never;
    auto waiter = [&]() -> task<bool> {
        const auto r = co_await rondo::as_result(rondo::with_cancellation(source.token(), never.wait()));
        co_return r.has_value();
    };
    std::vector<task<bool>> all;
    for (int i = 0; i < n; ++i) all.push_back(waiter());
    std::thread other([source] { source.cancel(); });
    const std::vector<bool> values = co_await rondo::when_all(std::move(all));
    other.join();
    int had_value = 0;
    for (const bool v : values) had_value += v ? 1 : 0;
    CHECK(had_value == 0);
}

}  // namespace

TEST_CASE("a cancel source ends what runs under its token") { rondo::run(cancels_from_inside()); }
TEST_CASE("work under a cancelled source is not started") { rondo::run(is_not_started_after_cancel()); }
TEST_CASE("a value that came in spite of a cancel source is returned") { rondo::run(a_value_wins()); }
TEST_CASE("a token without a source never fires") { rondo::run(a_token_without_a_source_never_fires()); }
TEST_CASE("a cancel from another thread races with the end of the work") { rondo::run(races_with_a_thread(300)); }
TEST_CASE("one cancel from another thread ends every waiter") { rondo::run(many_waiters(500)); }
