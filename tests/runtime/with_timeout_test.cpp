#include <rondo/with_timeout.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/event.hpp>
#include <rondo/race.hpp>
#include <rondo/run.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::cancel_reason;
using rondo::errc;
using rondo::event;
using rondo::run;
using rondo::task;
using rondo::with_deadline;
using rondo::with_timeout;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

task<int> after(std::chrono::milliseconds d, int x) {
    const tracked alive;
    co_await rondo::sleep_for(d);
    co_return x;
}
task<int> ready(int x) { co_return x; }
task<int> fail_after(std::chrono::milliseconds d, const char* text) {
    co_await rondo::sleep_for(d);
    throw std::runtime_error(text);
}
task<int> nested(int levels, rondo::duration innermost) {
    if (levels == 0) {
        co_await rondo::sleep_for(innermost);
        co_return 1;
    }
    const int n = co_await with_timeout(1h + std::chrono::nanoseconds(levels), nested(levels - 1, innermost));
    co_return n + 1;
}

template <class F>
auto run_virtual(F& body) {
    rondo::virtual_clock clock;
    return run(rondo::runtime_options().clock(clock), body());
}

template <class A>
task<std::string> error_of(A a) {
    const auto r = co_await rondo::as_result(std::move(a));
    co_return r.has_value() ? std::string("no error") : r.error().text();
}

}  // namespace

TEST_CASE("work that ends before its limit gives its value, and the timer is gone") {
    rondo::virtual_clock clock;
    auto body = [&]() -> task<int> {
        const int a = co_await with_timeout(1s, ready(1));
        const int b = co_await with_timeout(1s, after(999ms, 20));
        co_return a + b;
    };
    const auto begin = clock.now();
    CHECK(run(rondo::runtime_options().clock(clock), body()) == 21);
    CHECK(clock.now() - begin == 999ms);
}

TEST_CASE("work that does not end in time is cancelled, awaited, and the limit and its place are named") {
    rondo::virtual_clock clock;
    auto body = [&]() -> task<> {
        const auto begin = clock.now();
        std::string text;
        int line = 0;
        try {
            line = __LINE__ + 1;
            (void)co_await with_timeout(1500ms, after(1h, 1));
        } catch (const rondo::error& e) {
            text = e.what();
            CHECK(e.code() == errc::timed_out);
            CHECK(e.code() == std::errc::timed_out);
        }
        CHECK(text ==
              "with_timeout: timed out after 1.5 s (set at with_timeout_test.cpp:" + std::to_string(line) + ")");
        CHECK(clock.now() - begin == 1500ms);
        CHECK(tracked::alive == 0);
        CHECK_FALSE(this_job::is_cancelled());
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("the cancelled work sees the reason deadline") {
    auto body = []() -> task<> {
        cancel_reason why = cancel_reason::none;
        auto work = [&]() -> task<> {
            try {
                co_await rondo::sleep_for(1h);
            } catch (const rondo::cancelled& c) {
                why = c.reason();
                throw;
            }
        };
        const auto r = co_await rondo::as_result(with_timeout(1s, work()));
        CHECK(r.error() == errc::timed_out);
        CHECK(why == cancel_reason::deadline);
    };
    run_virtual(body);
}

TEST_CASE("with_timeout returns only after the work is gone, even if that takes longer") {
    rondo::virtual_clock clock;
    auto body = [&]() -> task<> {
        auto slow_end = []() -> task<int> {
            const tracked alive;
            try {
                co_await rondo::sleep_for(1h);
            } catch (const rondo::cancelled&) {}
            co_await rondo::shield(rondo::sleep_for(10s));
            co_await this_job::yield();
            co_return 1;
        };
        const auto begin = clock.now();
        const auto r = co_await rondo::as_result(with_timeout(1s, slow_end()));
        CHECK(r.error() == errc::timed_out);
        CHECK(clock.now() - begin == 11s);
        CHECK(tracked::alive == 0);
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("a value that comes in spite of the deadline is returned") {
    auto body = []() -> task<> {
        auto stubborn = []() -> task<int> {
            try {
                co_await rondo::sleep_for(1h);
            } catch (const rondo::cancelled&) {}
            co_return 42;
        };
        const int n = co_await with_timeout(1s, stubborn());
        CHECK(n == 42);
    };
    run_virtual(body);
}

TEST_CASE("an error of the work passes unchanged, before the deadline and after it") {
    auto body = []() -> task<> {
        const std::string early = co_await error_of(with_timeout(1s, fail_after(1ms, "early")));
        CHECK(early == "early");
        auto fails_late = []() -> task<int> {
            try {
                co_await rondo::sleep_for(1h);
            } catch (const rondo::cancelled&) {}
            throw std::runtime_error("late");
        };
        const std::string late = co_await error_of(with_timeout(1s, fails_late()));
        CHECK(late == "late");
    };
    run_virtual(body);
}

TEST_CASE("a limit of zero or less lets work that needs no wait end, and ends the rest") {
    auto body = []() -> task<> {
        const int a = co_await with_timeout(0s, ready(5));
        CHECK(a == 5);
        const auto zero = co_await rondo::as_result(with_timeout(0s, after(1s, 1)));
        CHECK(zero.error() == errc::timed_out);
        const auto negative = co_await rondo::as_result(with_timeout(-5s, after(1s, 1)));
        CHECK(negative.error() == errc::timed_out);
        event e;
        e.set();
        co_await with_timeout(0s, e.wait());
    };
    run_virtual(body);
}

TEST_CASE("a limit beyond the end of time never fires") {
    auto body = []() -> task<> {
        const int n = co_await with_timeout(std::chrono::hours::max(), after(1h, 3));
        CHECK(n == 3);
    };
    run_virtual(body);
}

TEST_CASE("of nested limits the inner one that comes first is the inner one's error") {
    auto body = []() -> task<> {
        std::string inner;
        auto work = [&]() -> task<int> {
            inner = co_await error_of(with_timeout(1s, after(1h, 1)));
            co_return 7;
        };
        const int n = co_await with_timeout(2s, work());
        CHECK(n == 7);
        CHECK(inner.find("timed out after 1 s") != inner.npos);
    };
    run_virtual(body);
}

TEST_CASE(
    "of nested limits the outer one that comes first is a cancellation inside and the outer one's error outside") {
    auto body = []() -> task<> {
        bool inner_timed_out = false;
        bool inner_cancelled = false;
        auto work = [&]() -> task<int> {
            try {
                (void)co_await with_timeout(2s, after(1h, 1));
            } catch (const rondo::error&) {
                inner_timed_out = true;
            } catch (const rondo::cancelled&) {
                inner_cancelled = true;
                throw;
            }
            co_return 7;
        };
        const std::string outer = co_await error_of(with_timeout(1s, work()));
        CHECK(outer.find("timed out after 1 s") != outer.npos);
        CHECK_FALSE(inner_timed_out);
        CHECK(inner_cancelled);
    };
    run_virtual(body);
}

TEST_CASE("two limits at the same instant are one timeout, seen where the first was set") {
    auto body = []() -> task<> {
        auto inner = with_timeout(1s, after(1h, 1));
        const std::string text = co_await error_of(with_timeout(1s, std::move(inner)));
        CHECK(text.find("timed out after 1 s") != text.npos);
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
}

TEST_CASE("a cancel of the job goes before the deadline: it is cancelled, not timed out") {
    auto body = []() -> task<> {
        bool timed_out = false;
        auto job = [&]() -> task<> {
            try {
                (void)co_await with_timeout(1s, after(1h, 1));
            } catch (const rondo::error&) {
                timed_out = true;
            }
        };
        auto h = rondo::spawn(job(), "guarded");
        co_await this_job::yield();
        h.cancel();
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error() == errc::cancelled);
        CHECK_FALSE(timed_out);
    };
    run_virtual(body);
}

TEST_CASE("a cancel that comes between the deadline and the end of the work is a cancellation") {
    auto body = []() -> task<> {
        bool timed_out = false;
        auto slow_end = []() -> task<> {
            try {
                co_await rondo::sleep_for(1h);
            } catch (const rondo::cancelled&) {}
            co_await rondo::shield(rondo::sleep_for(10s));
            co_await this_job::yield();
        };
        auto job = [&]() -> task<> {
            try {
                co_await with_timeout(1s, slow_end());
            } catch (const rondo::error&) {
                timed_out = true;
            }
        };
        auto h = rondo::spawn(job(), "guarded");
        co_await rondo::sleep_for(5s);
        h.cancel();
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error() == errc::cancelled);
        CHECK_FALSE(timed_out);
    };
    run_virtual(body);
}

TEST_CASE("with_deadline takes a point in time and says so") {
    rondo::virtual_clock clock;
    auto body = [&]() -> task<> {
        const auto deadline = clock.now() + 3s;
        const std::string text = co_await error_of(with_deadline(deadline, after(1h, 1)));
        CHECK(text.find("timed out after its deadline (set at with_timeout_test.cpp:") != text.npos);
        CHECK(clock.now() == deadline);
        const int n = co_await with_deadline(clock.now() + 1s, after(1ms, 4));
        CHECK(n == 4);
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("work that ends as cancelled by itself has not timed out") {
    auto gives_up = []() -> task<int> {
        co_await this_job::yield();
        throw rondo::cancelled(cancel_reason::requested);
    };
    auto body = [&]() -> task<> {
        const auto r = co_await rondo::as_result(with_timeout(1s, gives_up()));
        CHECK(r.error() == errc::cancelled);
    };
    run_virtual(body);
}

TEST_CASE("a timeout takes operations, and combinators of them") {
    auto body = []() -> task<> {
        event never;
        const std::string bare = co_await error_of(with_timeout(1s, never.wait()));
        CHECK(bare.find("timed out") != bare.npos);
        const auto all = co_await rondo::as_result(with_timeout(1s, rondo::when_all(never.wait(), after(1h, 1))));
        CHECK(all.error() == errc::timed_out);
        const auto raced = co_await rondo::as_result(with_timeout(1s, rondo::race(never.wait(), after(1h, 1))));
        CHECK(raced.error() == errc::timed_out);
        CHECK(tracked::alive == 0);
    };
    run_virtual(body);
}

TEST_CASE("a move-only value goes through a timeout") {
    auto body = []() -> task<int> {
        auto boxed = []() -> task<std::unique_ptr<int>> {
            co_await this_job::yield();
            co_return std::make_unique<int>(6);
        };
        std::unique_ptr<int> p = co_await with_timeout(1s, boxed());
        co_return *p;
    };
    CHECK(run_virtual(body) == 6);
}

TEST_CASE("a thousand timeouts that fire at once each end once") {
    auto body = []() -> task<int> {
        int timed_out = 0;
        auto one = [&]() -> task<> {
            const auto r = co_await rondo::as_result(with_timeout(1s, after(1h, 1)));
            if (!r && r.error() == errc::timed_out) ++timed_out;
        };
        std::vector<task<>> all;
        for (int i = 0; i < 1000; ++i) all.push_back(one());
        co_await rondo::when_all(std::move(all));
        co_return timed_out;
    };
    CHECK(run_virtual(body) == 1000);
    CHECK(tracked::alive == 0);
}

TEST_CASE("100000 nested timeouts end with a value") {
    auto body = []() -> task<int> {
        const int n = co_await nested(100'000, 1s);
        co_return n;
    };
    CHECK(run_virtual(body) == 100'001);
}

TEST_CASE("100000 nested timeouts: the outermost fires and unwinds them all") {
    auto body = []() -> task<> {
        const auto r = co_await rondo::as_result(with_timeout(1s, nested(100'000, 2h)));
        CHECK(r.error() == errc::timed_out);
    };
    run_virtual(body);
}
