#include <rondo/metrics.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include <rondo/context.hpp>
#include <rondo/error.hpp>
#include <rondo/on.hpp>
#include <rondo/promise.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>

#include "support/catch.hpp"

using rondo::context;
using rondo::duration_histogram;
using rondo::metrics;
using rondo::run;
using rondo::runtime_options;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
    return n;
}

metrics now() { return context::current().metrics(); }

task<> nothing() { co_return; }
task<> sleep_a_little() { co_await rondo::sleep_for(1ms); }

}  // namespace

TEST_CASE("timers, jobs and turns are counted") {
    rondo::virtual_clock clock;
    auto body = [&]() -> task<> {
        const metrics before = now();
        auto a = rondo::spawn(nothing(), "a");
        co_await a.join();
        for (int i = 0; i < 10; ++i) co_await rondo::sleep_for(1s);
        const metrics after = now();
        CHECK(after.jobs_spawned - before.jobs_spawned == 1);
        CHECK(after.jobs_ended - before.jobs_ended == 1);
        CHECK(after.timers_fired - before.timers_fired == 10);
        CHECK(after.jobs_run - before.jobs_run >= 10);
        CHECK(after.turns - before.turns >= 10);
        CHECK(after.timer_lateness.total() == after.timers_fired);
        CHECK(after.max_timer_lateness == 0ns);  // the clock jumps to the deadline, and never too far
    };
    run(runtime_options().clock(clock), body());
}

TEST_CASE("the lateness of timers is measured: of those that had to wait for a job that would not stop") {
    auto body = []() -> task<> {
        auto sleeps = rondo::spawn(sleep_a_little(), "sleeps");
        co_await this_job::yield();
        const auto until = std::chrono::steady_clock::now() + 20ms;
        while (std::chrono::steady_clock::now() < until) {}
        co_await sleeps.join();
        const metrics m = now();
        CHECK(m.timers_fired == 1);
        CHECK(m.max_timer_lateness >= 10ms);
        CHECK(m.timer_lateness.percentile(0.5) > m.max_timer_lateness / 2);
    };
    run(body());
}

TEST_CASE("an endless ready job is counted as spent budgets, and a queue longer than a turn as full turns") {
    auto body = []() -> task<> {
        for (int i = 0; i < 128 * 5; ++i) co_await rondo::sleep_for(0ms);
        const metrics m = now();
        CHECK(m.budgets_spent >= 4);
        CHECK(m.full_turns == 0);
        auto yields = []() -> task<> { co_await this_job::yield(); };
        std::vector<task<>> many;
        for (int i = 0; i < 1000; ++i) many.push_back(yields());
        co_await rondo::when_all(std::move(many));
        CHECK(now().full_turns >= 3);
        CHECK(now().ready_now > 0);
        CHECK(now().ready_now <= 256);
    };
    run(body());
}

TEST_CASE("a message from another thread is counted, and a wake when it found the context asleep") {
    auto body = []() -> task<> {
        std::thread other;
        const auto p = rondo::promise<int>::create([&](auto resolve, auto) {
            other = std::thread([resolve] {
                std::this_thread::sleep_for(1ms);
                resolve(1);
            });
        });
        const int value = co_await p;
        CHECK(value == 1);
        other.join();
        const metrics m = now();
        CHECK(m.messages >= 1);
        CHECK(m.wakes <= m.messages);
        CHECK(m.enters >= m.parks);
    };
    run(body());
}

TEST_CASE("another context's counters can be read") {
    auto body = []() -> task<> {
        co_await rondo::on(context::at(1), sleep_a_little());
        CHECK(context::at(1).metrics().timers_fired == 1);
        CHECK(context::at(1).metrics().messages >= 1);
        CHECK(context::at(0).metrics().timers_fired == 0);
    };
    run(runtime_options().threads(2), body());
}

TEST_CASE("a histogram's percentiles are the bounds of its buckets") {
    duration_histogram h;
    CHECK(h.percentile(0.99) == 0ns);
    h.counts[0] = 90;
    h.counts[3] = 9;
    h.counts[duration_histogram::size - 1] = 1;
    CHECK(h.total() == 100);
    CHECK(h.percentile(0.5) == 1024ns);
    CHECK(h.percentile(0.9) == 1024ns);
    CHECK(h.percentile(0.95) == 8192ns);
    CHECK(h.percentile(0.99) == 8192ns);
    CHECK(h.percentile(1.0) == duration_histogram::bound(duration_histogram::size - 1));
}

TEST_CASE("the text for Prometheus names every context, with cumulative buckets") {
    auto body = []() -> task<std::string> {
        co_await rondo::sleep_for(1ms);
        co_return rondo::prometheus_text();
    };
    const std::string text = run(runtime_options().threads(2), body());
    INFO(text);
    CHECK(count_of(text, "# TYPE rondo_turns_total counter\n") == 1);
    CHECK(count_of(text, "rondo_turns_total{context=\"0\"} ") == 1);
    CHECK(count_of(text, "rondo_turns_total{context=\"1\"} ") == 1);
    CHECK(count_of(text, "# TYPE rondo_timer_lateness_seconds histogram\n") == 1);
    CHECK(count_of(text, "rondo_timer_lateness_seconds_bucket{context=\"0\",le=\"+Inf\"} 1\n") == 1);
    CHECK(count_of(text, "rondo_timer_lateness_seconds_count{context=\"0\"} 1\n") == 1);
    CHECK(count_of(text, "rondo_timer_lateness_seconds_bucket{context=\"1\",le=\"1.024e-06\"} 0\n") == 1);
    CHECK(count_of(text, "\nrondo_frame_bytes ") == 1);
    CHECK(text.back() == '\n');
    // Each sample belongs to the family whose head came last: what Prometheus insists on.
    std::string family;
    for (std::size_t at = 0; at < text.size();) {
        const std::string line = text.substr(at, text.find('\n', at) - at);
        at += line.size() + 1;
        if (line.rfind("# TYPE ", 0) == 0) family = line.substr(7, line.find(' ', 7) - 7);
        else if (line[0] != '#') CHECK(line.rfind(family, 0) == 0);
    }
}

TEST_CASE("outside of a run there is nothing to tell") { CHECK_THROWS_AS(rondo::prometheus_text(), rondo::error); }
