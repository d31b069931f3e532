#include <rondo/runtime.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <rondo/blocking.hpp>
#include <rondo/detail/sys.hpp>
#include <rondo/event.hpp>
#include <rondo/promise.hpp>
#include <rondo/readiness.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::runtime;
using rondo::task;
using namespace std::chrono_literals;

namespace {

template <class F>
rondo::fault fault_of(F f) {
    try {
        f();
    } catch (const rondo::error& e) {
        return e.fault();
    }
    return {};
}

task<int> twice(int n) {
    co_await rondo::this_job::yield();
    co_return 2 * n;
}
task<std::string> concatenated(std::string a, std::string b) { co_return a + b; }
task<> fails() {
    co_await rondo::this_job::yield();
    throw std::runtime_error("no luck");
}
task<std::thread::id> thread_of() { co_return std::this_thread::get_id(); }
task<> forever(std::atomic<bool>* waits) {
    rondo::event never;
    waits->store(true);
    waits->notify_all();
    co_await never.wait();
}

/// Lives in a foreign loop until `over`, which is given up after a minute.
template <class F>
void poll_until(runtime& rt, F over) {
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (!over()) {
        REQUIRE(std::chrono::steady_clock::now() < limit);
        pollfd p{rt.fd(), POLLIN, 0};
        REQUIRE(::poll(&p, 1, 60'000) >= 0);
        rt.poll();
    }
}

std::atomic<int> reports{0};
void count_report(std::string_view text) {
    if (text.find("nobody observed it: no luck") != std::string_view::npos) ++reports;
}

}  // namespace

TEST_CASE("a runtime gives what a submitted task gives") {
    runtime rt;
    CHECK(rt.submit(twice(21)).get() == 42);
    CHECK(rt.submit(concatenated("a", "b")).get() == "ab");
    auto move_only = []() -> task<std::unique_ptr<int>> { co_return std::make_unique<int>(3); };
    CHECK(*rt.submit(move_only()).get() == 3);
    static int there = 5;
    auto reference = []() -> task<int&> { co_return there; };
    CHECK(&rt.submit(reference()).get() == &there);
}

TEST_CASE("a runtime runs its tasks on one thread of its own") {
    runtime rt;
    const auto a = rt.submit(thread_of()).get();
    const auto b = rt.submit(thread_of()).get();
    CHECK(a == b);
    CHECK(a != std::this_thread::get_id());
}

TEST_CASE("a submission throws what its task threw") {
    runtime rt;
    CHECK_THROWS_AS(rt.submit(fails()).get(), std::runtime_error);
}

TEST_CASE("an error of a submission that was dropped is reported once") {
    reports = 0;
    const auto before = rondo::on_report(&count_report);
    {
        runtime rt;
        rt.submit(fails()).detach();
        rt.submit(twice(1)).get();
    }
    rondo::on_report(before);
    CHECK(reports == 1);
}

TEST_CASE("a cancelled submission says so, also when it was cancelled twice or before its start") {
    runtime rt;
    std::atomic<bool> waits{false};
    auto s = rt.submit(forever(&waits), "forever");
    waits.wait(false);
    s.cancel();
    s.cancel();
    CHECK(fault_of([&] { s.get(); }) == errc::cancelled);
    auto at_once = rt.submit(forever(&waits));
    at_once.cancel();
    CHECK(fault_of([&] { at_once.get(); }) == errc::cancelled);
    auto done = rt.submit(twice(2));
    while (!done.is_done()) std::this_thread::yield();
    done.cancel();
    CHECK(done.get() == 4);
}

TEST_CASE("shutdown cancels what runs and refuses what comes later") {
    runtime rt;
    std::atomic<bool> waits{false};
    auto running = rt.submit(forever(&waits), "forever");
    waits.wait(false);
    rt.shutdown(10s);
    CHECK(running.is_done());
    CHECK(fault_of([&] { running.get(); }) == errc::cancelled);
    auto late = rt.submit(twice(1), "late");
    const rondo::fault f = fault_of([&] { late.get(); });
    CHECK(f == errc::closed);
    CHECK(f.text().find("late") != std::string::npos);
    rt.shutdown();  // has no effect
}

TEST_CASE("a submission outlives its runtime") {
    std::unique_ptr<rondo::submission<int>> s;
    {
        runtime rt;
        s = std::make_unique<rondo::submission<int>>(rt.submit(twice(4)));
        while (!s->is_done()) std::this_thread::yield();
    }
    CHECK(s->get() == 8);
    s->cancel();
}

TEST_CASE("many threads submit to one runtime, and each gets its own answers") {
    runtime rt;
    std::atomic<int> wrong{0};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 500; ++i) {
                const int n = t * 1000 + i;
                auto s = rt.submit(twice(n));
                if (i % 3 == 0) s.cancel();
                else if (s.get() != 2 * n) ++wrong;
            }
        });
    }
    threads.clear();
    CHECK(wrong == 0);
}

TEST_CASE("submissions that race with a shutdown all end, with a value or refused") {
    for (int round = 0; round < 50; ++round) {
        runtime rt;
        std::atomic<int> ended{0};
        std::jthread submitter([&] {
            for (int i = 0; i < 50; ++i) {
                auto s = rt.submit(twice(i));
                try {
                    s.get();
                    ++ended;
                } catch (const rondo::error&) {
                    ++ended;
                }
            }
        });
        if (round % 2 == 0) std::this_thread::yield();
        rt.shutdown();
        submitter.join();
        CHECK(ended == 50);
    }
}

TEST_CASE("two runtimes call each other") {
    runtime a;
    runtime b;
    auto ping = [](runtime& other) -> task<int> {
        int sum = 0;
        for (int i = 0; i < 100; ++i) {
            auto answer = rondo::promise<int>::create([&](auto resolve, auto) {
                auto pong = [](decltype(resolve) to, int n) -> task<> {
                    to(n);
                    co_return;
                };
                other.submit(pong(std::move(resolve), i)).detach();
            });
            sum += co_await answer;
        }
        co_return sum;
    };
    auto s = a.submit(ping(b));
    CHECK(s.get() == 4950);
}

TEST_CASE("get on a thread that runs a context is an error, not a deadlock") {
    runtime rt;
    auto body = [](runtime& r) -> task<rondo::fault> {
        std::atomic<bool> waits{false};
        auto s = r.submit(forever(&waits));
        const rondo::fault f = fault_of([&] { s.get(); });
        s.cancel();
        while (!s.is_done()) co_await rondo::this_job::yield();
        co_return f;
    };
    CHECK(rt.submit(body(rt)).get() == errc::busy);
}

TEST_CASE("fd and poll need a polled runtime") {
    runtime rt;
    CHECK(fault_of([&] { static_cast<void>(rt.fd()); }) == errc::invalid_argument);
    CHECK(fault_of([&] { rt.poll(); }) == errc::invalid_argument);
}

TEST_CASE("a polled runtime runs in a foreign loop: submissions, timers, pool calls") {
    runtime rt(rondo::polled);
    auto body = []() -> task<int> {
        co_await rondo::sleep_for(2ms);
        const int n = co_await rondo::blocking([] { return 20; });
        co_await rondo::sleep_for(1ms);
        co_return n + 1;
    };
    auto s = rt.submit(body());
    CHECK_FALSE(s.is_done());
    poll_until(rt, [&] { return s.is_done(); });
    CHECK(s.get() == 21);
    CHECK_FALSE(rt.poll());
}

TEST_CASE("a polled runtime is woken by other threads") {
    runtime rt(rondo::polled);
    std::atomic<int> sum{0};
    std::jthread other([&] {
        for (int i = 0; i < 200; ++i) {
            auto add = [](std::atomic<int>* to) -> task<> {
                co_await rondo::this_job::yield();
                ++*to;
            };
            rt.submit(add(&sum)).detach();
        }
    });
    poll_until(rt, [&] { return sum == 200; });
}

TEST_CASE("writes to an eventfd that a job of a polled runtime waits for make the runtime's fd readable each time") {
    runtime rt(rondo::polled);
    const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    REQUIRE(fd >= 0);
    std::atomic<int> seen{0};
    auto reader = [](int from, std::atomic<int>* count) -> task<> {
        for (int i = 0; i < 20; ++i) {
            co_await rondo::readable(from);
            std::uint64_t n = 0;
            if (::read(from, &n, sizeof n) == sizeof n) ++*count;
        }
    };
    auto s = rt.submit(reader(fd, &seen));
    std::jthread writer([&] {
        for (int i = 0; i < 20; ++i) {
            const std::uint64_t one = 1;
            if (::write(fd, &one, sizeof one) != sizeof one) return;
            while (seen == i) std::this_thread::yield();
        }
    });
    poll_until(rt, [&] { return s.is_done(); });
    writer.join();
    ::close(fd);
    CHECK(seen == 20);
}

TEST_CASE("an idle polled runtime leaves its fd unreadable") {
    runtime rt(rondo::polled);
    auto s = rt.submit(twice(1));
    poll_until(rt, [&] { return s.is_done(); });
    rt.poll();
    pollfd p{rt.fd(), POLLIN, 0};
    CHECK(::poll(&p, 1, 0) == 0);
}

TEST_CASE("poll takes a bounded share and leaves the fd readable while work is left") {
    runtime rt(rondo::polled);
    bool stop = false;
    auto busy = [](const bool* until) -> task<> {
        while (!*until) co_await rondo::this_job::yield();
    };
    auto s = rt.submit(busy(&stop));
    CHECK(rt.poll());  // returns although the job never waits
    pollfd p{rt.fd(), POLLIN, 0};
    CHECK(::poll(&p, 1, 60'000) == 1);
    stop = true;
    poll_until(rt, [&] { return s.is_done(); });
}

TEST_CASE("poll inside a job, and on another thread, is refused") {
    runtime rt(rondo::polled);
    auto body = [](runtime& r) -> task<rondo::fault> { co_return fault_of([&] { r.poll(); }); };
    auto s = rt.submit(body(rt));
    poll_until(rt, [&] { return s.is_done(); });
    CHECK(s.get() == errc::busy);
    rondo::fault elsewhere;
    std::thread([&] { elsewhere = fault_of([&] { rt.poll(); }); }).join();
    CHECK(elsewhere == errc::invalid_argument);
}

TEST_CASE("a polled runtime inside a job, or with a system of its own, is refused") {
    auto body = []() -> task<rondo::fault> { co_return fault_of([] { const runtime inner(rondo::polled); }); };
    CHECK(rondo::run(body()) == errc::busy);
    const auto options = rondo::runtime_options().system(rondo::detail::kernel_sys());
    const rondo::fault f = fault_of([&] { const runtime rt(rondo::polled, options); });
    CHECK(f == errc::invalid_argument);
    CHECK(f.text().find("runtime_options::system") != std::string::npos);
}

TEST_CASE("a polled runtime shuts down with jobs left, and its virtual clock needs no waiting") {
    rondo::virtual_clock clock;
    runtime rt(rondo::polled, rondo::runtime_options().clock(clock));
    auto body = []() -> task<> { co_await rondo::sleep_for(1h); };
    auto hour = rt.submit(body());
    poll_until(rt, [&] { return hour.is_done(); });
    CHECK(clock.now().time_since_epoch() >= 1h);
    std::atomic<bool> waits{false};
    auto left = rt.submit(forever(&waits));
    rt.poll();
    CHECK(waits);
    rt.shutdown(1s);
    CHECK(fault_of([&] { left.get(); }) == errc::cancelled);
    CHECK_FALSE(rt.poll());
    CHECK(fault_of([&] { rt.submit(twice(1)).get(); }) == errc::closed);
}
