#include <rondo/as_completed.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
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
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::as_completed;
using rondo::cancel_reason;
using rondo::errc;
using rondo::event;
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

TEST_CASE("as_completed gives each end with its index, in the order in which they come, then nothing") {
    auto body = []() -> task<std::string> {
        std::string order;
        auto s = as_completed(countdown(5));
        for (;;) {
            auto done = co_await s.next();
            if (!done) break;
            CHECK(done->second.value() == static_cast<int>(done->first));
            order += static_cast<char>('0' + done->first);
        }
        auto still_nothing = co_await s.next();
        CHECK_FALSE(still_nothing.has_value());
        co_return order;
    };
    CHECK(run_virtual(body) == "43210");
}

TEST_CASE("the declaration in the loop's condition is a safe form under every compiler") {
    auto body = []() -> task<int> {
        int sum = 0;
        auto s = as_completed(countdown(4));
        while (auto done = co_await s.next()) sum += done->second.value();
        co_return sum;
    };
    CHECK(run_virtual(body) == 6);
}

TEST_CASE("ends in the same instant come in the order of their start") {
    auto body = []() -> task<std::string> {
        std::string order;
        std::vector<task<int>> tasks;
        for (int i = 0; i < 6; ++i) tasks.push_back(after(10ms, i));
        auto s = as_completed(std::move(tasks));
        while (auto done = co_await s.next()) order += static_cast<char>('0' + done->first);
        co_return order;
    };
    CHECK(run_virtual(body) == "012345");
}

TEST_CASE("an error of a child is its result; the others go on") {
    auto body = []() -> task<std::string> {
        std::string log;
        std::vector<task<int>> tasks;
        tasks.push_back(after(3ms, 1));
        tasks.push_back(fail_after(2ms, "broken"));
        tasks.push_back(after(1ms, 2));
        auto s = as_completed(std::move(tasks));
        while (auto done = co_await s.next()) {
            log += done->second ? std::to_string(*done->second) : done->second.error().text();
            log += ' ';
        }
        co_return log;
    };
    CHECK(run_virtual(body) == "2 broken 1 ");
}

TEST_CASE("the children run on while one result is consumed, and a taken child's frame is gone") {
    auto body = []() -> task<> {
        auto s = as_completed(countdown(4));
        co_await rondo::sleep_for(1s);  // all have ended meanwhile
        CHECK(tracked::alive == 0);
        auto first = co_await s.next();
        CHECK(first->first == 3);
        auto rest = co_await s.next();
        CHECK(rest->first == 2);
        co_await s.finish();
    };
    run_virtual(body);
}

TEST_CASE("an empty as_completed has no next") {
    auto body = []() -> task<> {
        auto s = as_completed(std::vector<task<int>>());
        auto none = co_await s.next();
        CHECK_FALSE(none.has_value());
        co_await s.finish();
    };
    run(body());
}

TEST_CASE("results may be move-only or void") {
    auto body = []() -> task<> {
        auto boxed = [](int x) -> task<std::unique_ptr<int>> {
            co_await this_job::yield();
            co_return std::make_unique<int>(x);
        };
        std::vector<task<std::unique_ptr<int>>> boxes;
        boxes.push_back(boxed(8));
        auto s = as_completed(std::move(boxes));
        auto done = co_await s.next();
        CHECK(**done->second == 8);
        std::vector<task<>> naps;
        naps.push_back([]() -> task<> { co_await this_job::yield(); }());
        auto t = as_completed(std::move(naps));
        auto nap = co_await t.next();
        CHECK(nap->second.has_value());
        auto over = co_await t.next();
        CHECK_FALSE(over.has_value());
    };
    run(body());
}

TEST_CASE("operations may be the children") {
    auto body = []() -> task<std::string> {
        std::string order;
        std::vector<rondo::detail::sleep_operation> naps;
        naps.push_back(rondo::sleep_for(3ms));
        naps.push_back(rondo::sleep_for(1ms));
        naps.push_back(rondo::sleep_for(2ms));
        auto s = as_completed(std::move(naps));
        while (auto done = co_await s.next()) order += static_cast<char>('0' + done->first);
        co_return order;
    };
    CHECK(run_virtual(body) == "120");
}

TEST_CASE("finish cancels what still runs and waits for it; results not taken are dropped") {
    rondo::virtual_clock clock;
    cancel_reason why = cancel_reason::none;
    auto slow = [&]() -> task<int> {
        const tracked local;
        try {
            co_await rondo::sleep_for(1h);
        } catch (const rondo::cancelled& c) {
            why = c.reason();
        }
        co_await rondo::shield(rondo::sleep_for(2s));
        co_return 1;
    };
    auto body = [&]() -> task<> {
        std::vector<task<int>> tasks = countdown(3);
        tasks.push_back(slow());
        auto s = as_completed(std::move(tasks));
        auto first = co_await s.next();
        CHECK(first->first == 2);
        const auto begin = clock.now();
        co_await s.finish();
        CHECK(clock.now() - begin == 2s);
        CHECK(why == cancel_reason::requested);
        CHECK(tracked::alive == 0);
        co_await s.finish();  // again: nothing to do
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("destroying the stream cancels its children, and the job ends after them") {
    rondo::virtual_clock clock;
    std::string log;
    // By value: a child that is let go outlives the scope.
    auto slow = [](std::string& l) -> task<int> {
        std::exception_ptr none;
        try {
            co_await rondo::sleep_for(1h);
        } catch (const rondo::cancelled&) {
            l += "cancelled ";
        }
        co_await rondo::shield(rondo::sleep_for(2s));
        l += "gone ";
        co_return 1;
    };
    auto worker = [&]() -> task<int> {
        {
            std::vector<task<int>> tasks;
            tasks.push_back(slow(log));
            auto s = as_completed(std::move(tasks));
            co_await this_job::yield();
        }
        log += "left ";
        co_return 4;
    };
    auto body = [&]() -> task<> {
        const auto begin = clock.now();
        auto h = rondo::spawn(worker(), "worker");
        const int n = co_await h.join();
        log += "joined";
        CHECK(n == 4);
        CHECK(clock.now() - begin == 2s);
    };
    run(rondo::runtime_options().clock(clock), body());
    CHECK(log == "left cancelled gone joined");
}

TEST_CASE("the main task ends after the children of a stream that it dropped") {
    rondo::virtual_clock clock;
    bool gone = false;
    auto slow = [](bool& flag) -> task<int> {
        co_await rondo::shield(rondo::sleep_for(3s));
        flag = true;
        co_return 0;
    };
    auto body = [&]() -> task<int> {
        std::vector<task<int>> tasks;
        tasks.push_back(slow(gone));
        auto s = as_completed(std::move(tasks));
        co_return 6;
    };
    CHECK(run(rondo::runtime_options().clock(clock), body()) == 6);
    CHECK(gone);
}

TEST_CASE("a child of a combinator ends after the streams that it dropped") {
    rondo::virtual_clock clock;
    auto slow = [](int& n) -> task<int> {
        co_await rondo::shield(rondo::sleep_for(1s));
        ++n;
        co_return 0;
    };
    int ended = 0;
    auto child = [&]() -> task<> {
        for (int i = 0; i < 3; ++i) {
            std::vector<task<int>> tasks;
            tasks.push_back(slow(ended));
            tasks.push_back(slow(ended));
            auto s = as_completed(std::move(tasks));
        }
        co_return;
    };
    auto body = [&]() -> task<> {
        co_await rondo::when_all(child(), child());
        CHECK(ended == 12);
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("a stream whose children have all ended is dropped without a wait") {
    auto body = []() -> task<> {
        auto s = as_completed(countdown(3));
        co_await rondo::sleep_for(1s);
    };
    run_virtual(body);
    CHECK(tracked::alive == 0);
}

TEST_CASE("two jobs that ask for the next end at the same time: the second gets busy, the first its end") {
    auto body = []() -> task<> {
        auto s = as_completed(countdown(1));
        auto ask = [&]() -> task<int> {
            auto done = co_await s.next();
            co_return done->second.value();
        };
        auto first = rondo::spawn(ask(), "first");
        auto second = rondo::spawn(ask(), "second");
        const auto b = co_await rondo::as_result(second.join());
        CHECK(b.error() == errc::busy);
        const int a = co_await first.join();
        CHECK(a == 0);
    };
    run_virtual(body);
}

TEST_CASE("a timeout around next cancels the children") {
    auto body = []() -> task<> {
        std::vector<task<int>> tasks;
        tasks.push_back(after(1h, 1));
        auto s = as_completed(std::move(tasks));
        const auto r = co_await rondo::as_result(rondo::with_timeout(1s, s.next()));
        CHECK(r.error() == errc::timed_out);
        auto done = co_await s.next();
        REQUIRE(done.has_value());
        CHECK(done->second.error() == errc::cancelled);
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
}

TEST_CASE("an end that had come when the cancel reached next is still there for the next call") {
    auto body = []() -> task<> {
        event e;
        auto waits = [&]() -> task<int> {
            co_await e.wait();
            co_return 3;
        };
        std::vector<task<int>> tasks;
        tasks.push_back(waits());
        auto s = as_completed(std::move(tasks));
        bool asked_first = false;
        auto ask = [&]() -> task<> {
            auto done = co_await s.next();
            asked_first = done.has_value();
        };
        auto h = rondo::spawn(ask(), "asks");
        co_await this_job::yield();
        e.set();
        h.cancel();  // the child is queued with its value; the wait of `asks` ends
        (void)co_await rondo::as_result(h.join());
        auto done = co_await s.next();
        CHECK_FALSE(asked_first);
        REQUIRE(done.has_value());
        CHECK(done->second.value() == 3);
    };
    run(body());
}

TEST_CASE("cancelling the job that reads the stream cancels the children, and finish waits for them") {
    rondo::virtual_clock clock;
    int left = -1;
    auto body = [&]() -> task<> {
        auto job = [&]() -> task<> {
            auto s = as_completed(countdown(5000));
            bool was_cancelled = false;
            try {
                (void)co_await s.next();
                (void)co_await s.next();
                co_await rondo::sleep_for(1us);
                for (;;) (void)co_await s.next();
            } catch (const rondo::cancelled&) {
                was_cancelled = true;
            }
            co_await s.finish();
            left = tracked::alive;
            CHECK(was_cancelled);
        };
        auto h = rondo::spawn(job(), "reader");
        co_await rondo::sleep_for(100ms);
        h.cancel();
        co_await h.join();
    };
    run(rondo::runtime_options().clock(clock), body());
    CHECK(left == 0);
}

TEST_CASE("as_completed outside a run is an error and keeps nothing") {
    CHECK_THROWS_AS(as_completed(countdown(3)), rondo::error);
    CHECK(tracked::alive == 0);
}
