#include <rondo/run.hpp>

#include <unistd.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rondo/as_completed.hpp>
#include <rondo/as_result.hpp>
#include <rondo/cancel_source.hpp>
#include <rondo/event.hpp>
#include <rondo/promise.hpp>
#include <rondo/readiness.hpp>
#include <rondo/report.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::errc;
using rondo::event;
using rondo::run;
using rondo::runtime_options;
using rondo::shield;
using rondo::spawn;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

/// Nobody prints what these tests provoke.
class quiet {
public:
    quiet() : before_(rondo::on_report([](std::string_view) {})) {}
    ~quiet() { rondo::on_report(before_); }
    quiet(const quiet&) = delete;
    quiet& operator=(const quiet&) = delete;

private:
    rondo::report_handler before_;
};

class pipe_ends {
public:
    pipe_ends() { REQUIRE(::pipe(fd) == 0); }
    ~pipe_ends() {
        ::close(fd[0]);
        ::close(fd[1]);
    }
    pipe_ends(const pipe_ends&) = delete;
    pipe_ends& operator=(const pipe_ends&) = delete;
    int fd[2];
};

/// Waits for what `make` gives, under a shield, again and again, whatever ends it.
template <class Make>
task<> stubborn(Make make) {
    const tracked local;
    for (;;) {
        try {
            co_await shield(make());
        } catch (...) {
            static_cast<void>(local);
        }
    }
}

/// Runs two of them beyond the end of the main task and its grace period.
template <class Make>
void outstay(Make make) {
    const quiet here;
    auto body = [&]() -> task<int> {
        spawn(stubborn(make), "first").detach();
        spawn(stubborn(make), "second").detach();
        co_await this_job::yield();
        co_await this_job::yield();
        co_return 1;
    };
    CHECK(run(runtime_options().grace(20ms), body()) == 1);
    CHECK(tracked::alive == 0);
}

task<int> slow(int x) {
    const tracked local;
    co_await rondo::sleep_for(1h);
    co_return x;
}

std::vector<task<int>> slow_ones() {
    std::vector<task<int>> v;
    v.push_back(slow(1));
    v.push_back(slow(2));
    return v;
}
using slow_stream = decltype(rondo::as_completed(slow_ones()));

task<int> never_ends() {
    const tracked local;
    event never;
    for (;;) {
        try {
            co_await shield(never.wait());
        } catch (...) {
            static_cast<void>(local);
        }
    }
}

}  // namespace

TEST_CASE("a job that begins its shielded wait for an fd again and again is ended after the kernel has let go") {
    const pipe_ends p;
    outstay([&p] { return rondo::readable(p.fd[0]); });
}

TEST_CASE("a job that begins its shielded sleep again and again leaves no timer") {
    outstay([] { return rondo::sleep_for(1h); });
}

TEST_CASE("a job that begins its shielded join again and again is unlinked from the job it joins") {
    const quiet here;
    std::optional<rondo::join_handle<void>> h;
    auto make = [] { return rondo::sleep_for(1h); };
    auto joins = [&h] { return h->join(); };
    auto body = [&]() -> task<int> {
        h.emplace(spawn(stubborn(make), "sleeps"));
        spawn(stubborn(joins), "joins").detach();
        co_await this_job::yield();
        co_await this_job::yield();
        co_return 1;
    };
    CHECK(run(runtime_options().grace(20ms), body()) == 1);
    CHECK(tracked::alive == 0);
    h.reset();
}

TEST_CASE("a job that begins its shielded wait for a promise again and again is unlinked from it") {
    std::optional<rondo::promise<int>> p;
    std::optional<rondo::resolver<int>> settle;
    const quiet here;
    auto waits = [&p]() -> task<> { (void)co_await *p; };
    auto make = [&waits] { return waits(); };
    auto body = [&]() -> task<int> {
        p.emplace(rondo::promise<int>::create([&](auto resolve, auto) { settle.emplace(std::move(resolve)); }));
        spawn(stubborn(make), "waits").detach();
        co_await this_job::yield();
        co_await this_job::yield();
        co_return 1;
    };
    CHECK(run(runtime_options().grace(20ms), body()) == 1);
    CHECK(tracked::alive == 0);
    (*settle)(5);
    settle.reset();
    p.reset();
}

TEST_CASE("a job that begins its shielded wait under a token again and again is forgotten by the token's source") {
    const rondo::cancel_source source;
    outstay([&source] { return rondo::with_cancellation(source.token(), rondo::sleep_for(1h)); });
    source.cancel();
}

TEST_CASE("a deadlocked main task whose operation holds the virtual clock is destroyed after the kernel let go") {
    const pipe_ends p;
    rondo::virtual_clock clock;
    auto make = [&p] { return rondo::readable(p.fd[0]); };
    auto code = errc::closed;
    try {
        run(runtime_options().clock(clock), stubborn(make));
    } catch (const rondo::error& e) {
        if (e.code() == errc::deadlock) code = errc::deadlock;
    }
    CHECK(code == errc::deadlock);
    CHECK(tracked::alive == 0);
}

TEST_CASE("a main task that goes on when its deadlock is found is destroyed after the grace period") {
    std::string text;
    int line = 0;
    auto body = [&]() -> task<> {
        const tracked local;
        event never;
        for (;;) {
            try {
                line = __LINE__ + 1;
                co_await never.wait();
            } catch (...) {
                static_cast<void>(local);
            }
        }
    };
    try {
        run(runtime_options().grace(30ms), body());
    } catch (const rondo::error& e) {
        text = e.what();
    }
    CHECK(text.find("deadlock") != text.npos);
    CHECK(text.find("destroyed at stragglers_test.cpp:" + std::to_string(line)) != text.npos);
    CHECK(tracked::alive == 0);
}

TEST_CASE("the children of a straggler's stream end with it") {
    const quiet here;
    auto straggler = []() -> task<> {
        auto s = rondo::as_completed(slow_ones());
        for (;;) {
            try {
                co_await shield(rondo::sleep_for(1h));
            } catch (...) {
                static_cast<void>(s);
            }
        }
    };
    auto body = [&]() -> task<> {
        spawn(straggler(), "straggler").detach();
        co_await this_job::yield();
        co_await this_job::yield();
    };
    run(runtime_options().grace(20ms), body());
    CHECK(tracked::alive == 0);
}

TEST_CASE("children of a stream that never end are destroyed, with or without the stream") {
    const quiet here;
    std::optional<slow_stream> kept;
    auto worker = [&]() -> task<> {
        std::vector<task<int>> v;
        v.push_back(never_ends());
        kept.emplace(rondo::as_completed(std::move(v)));
        std::vector<task<int>> w;
        w.push_back(never_ends());
        const auto dropped = rondo::as_completed(std::move(w));
        co_return;
    };
    auto body = [&]() -> task<> {
        spawn(worker(), "worker").detach();
        co_await this_job::yield();
        co_await this_job::yield();
    };
    run(runtime_options().grace(20ms), body());
    CHECK(tracked::alive == 0);
    kept.reset();
}

TEST_CASE("a straggler in finish of another's stream goes with it") {
    const quiet here;
    std::optional<slow_stream> s;
    auto owner = [&]() -> task<> {
        std::vector<task<int>> v;
        v.push_back(never_ends());
        s.emplace(rondo::as_completed(std::move(v)));
        co_await shield(rondo::sleep_for(1h));
    };
    auto finisher = [&]() -> task<> {
        const tracked local;
        co_await s->finish();
    };
    auto body = [&]() -> task<> {
        spawn(owner(), "owner").detach();
        co_await this_job::yield();
        spawn(finisher(), "finisher").detach();
        co_await this_job::yield();
    };
    run(runtime_options().grace(20ms), body());
    CHECK(tracked::alive == 0);
}

TEST_CASE("a stream that outlives the run has its children cancelled and awaited by the run's end") {
    std::optional<slow_stream> s;
    auto body = [&]() -> task<> {
        s.emplace(rondo::as_completed(slow_ones()));
        co_await this_job::yield();
    };
    run(body());
    CHECK(tracked::alive == 0);
    s.reset();
}

TEST_CASE("a job ends after the children of a stream that was moved out of it") {
    std::optional<slow_stream> s;
    auto maker = [&]() -> task<int> {
        s.emplace(rondo::as_completed(slow_ones()));
        co_await this_job::yield();
        co_return 3;
    };
    auto body = [&]() -> task<> {
        auto h = spawn(maker(), "maker");
        const int n = co_await h.join();
        CHECK(n == 3);
        CHECK(tracked::alive == 0);
        auto first = co_await s->next();
        REQUIRE(first.has_value());
        CHECK(first->second.error() == errc::cancelled);
        s.reset();
    };
    run(body());
}

TEST_CASE("a job whose value is its own stream may be detached") {
    auto maker = []() -> task<std::unique_ptr<slow_stream>> {
        auto s = std::make_unique<slow_stream>(rondo::as_completed(slow_ones()));
        co_await this_job::yield();
        co_return s;
    };
    auto body = [&]() -> task<> {
        spawn(maker(), "maker").detach();
        for (int i = 0; i < 10; ++i) co_await this_job::yield();
    };
    run(body());
    CHECK(tracked::alive == 0);
}

TEST_CASE("a stream that is destroyed under a job that waits for its next end closes that wait") {
    auto body = []() -> task<> {
        std::optional<slow_stream> s;
        auto waits = [&]() -> task<> { (void)co_await s->next(); };
        s.emplace(rondo::as_completed(slow_ones()));
        auto h = spawn(waits(), "waits");
        co_await this_job::yield();
        co_await this_job::yield();
        s.reset();
        errc code = errc::busy;
        try {
            co_await h.join();
        } catch (const rondo::error& e) {
            if (e.code() == errc::closed) code = errc::closed;
        }
        CHECK(code == errc::closed);
    };
    run(body());
    CHECK(tracked::alive == 0);
}

TEST_CASE("the end a job was woken for is its own, also when another asks before it runs") {
    auto body = []() -> task<> {
        std::optional<slow_stream> s;
        event e;
        auto child = [&e]() -> task<int> {
            co_await e.wait();
            co_return 7;
        };
        auto waits = [&]() -> task<int> {
            auto x = co_await s->next();
            co_return x->second.value();
        };
        std::vector<task<int>> v;
        v.push_back(child());
        s.emplace(rondo::as_completed(std::move(v)));
        auto first = spawn(waits(), "first");
        co_await this_job::yield();
        co_await this_job::yield();
        e.set();
        auto second = spawn(waits(), "second");
        const int n = co_await first.join();
        CHECK(n == 7);
        second.cancel();
        (void)co_await rondo::as_result(second.join());
    };
    run(body());
}

TEST_CASE("a reaction to a promise that another thread settles as the run ends still runs") {
    for (int i = 0; i < 20; ++i) {
        bool ran = false;
        std::thread t;
        auto body = [&]() -> task<> {
            auto p = rondo::promise<int>::create(
                [&](auto resolve, auto) { t = std::thread([resolve]() mutable { resolve(5); }); });
            (void)p.then([&](int v) { ran = v == 5; });
            t.join();
            co_return;
        };
        run(body());
        CHECK(ran);
    }
}
