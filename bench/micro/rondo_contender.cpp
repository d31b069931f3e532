// rondo in the micro benchmarks.
#include <atomic>
#include <chrono>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/detail/io_operation.hpp>
#include <rondo/detail/timer.hpp>
#include <rondo/run.hpp>
#include <rondo/runtime.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/scenario.hpp"

using bench::watch;
using namespace rondo;

namespace {

[[gnu::noinline]] task<int> leaf(int x) { co_return x + 1; }

[[gnu::noinline]] task<int> nest(int depth) {
    if (depth == 0) co_return 1;
    const int below = co_await nest(depth - 1);
    co_return 1 + below;
}

task<> task_call(std::uint64_t n) {
    std::uint64_t sum = 0;
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) {
        const int r = co_await leaf(static_cast<int>(i));
        sum += static_cast<std::uint64_t>(r);
    }
    watch.end();
    bench::keep(sum);
}

task<> task_call_depth10(std::uint64_t n) {
    std::uint64_t sum = 0;
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) {
        const int r = co_await nest(9);
        sum += static_cast<std::uint64_t>(r);
    }
    watch.end();
    bench::keep(sum);
}

task<> yielder(std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) co_await this_job::yield();
}

task<> yield(std::uint64_t n) {
    watch.begin();
    co_await when_all(yielder(n / 2), yielder(n / 2));
    watch.end();
}

[[gnu::noinline]] task<> child(std::uint64_t& count) {
    ++count;
    co_return;
}

task<> when_all_10(std::uint64_t n) {
    std::uint64_t count = 0;
    std::uint64_t& c = count;
    watch.begin();
    for (std::uint64_t i = 0; i < n; i += 10)
        co_await when_all(child(c), child(c), child(c), child(c), child(c), child(c), child(c), child(c), child(c),
                          child(c));
    watch.end();
    bench::keep(count);
}

task<> when_all_1000(std::uint64_t n) {
    std::uint64_t count = 0;
    watch.begin();
    for (std::uint64_t i = 0; i < n; i += 1000) {
        std::vector<task<>> children;
        children.reserve(1000);
        for (int k = 0; k < 1000; ++k) children.push_back(child(count));
        co_await when_all(std::move(children));
    }
    watch.end();
    bench::keep(count);
}

task<> spawn_many(std::uint64_t n) {
    std::uint64_t count = 0;
    std::vector<join_handle<void>> handles;
    handles.reserve(n);
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) handles.push_back(spawn(child(count), "child"));
    for (const join_handle<void>& h : handles) co_await h.join();
    watch.end();
    bench::keep(count);
}

task<> sleeper(std::uint64_t ns) { co_await sleep_for(std::chrono::nanoseconds(ns)); }

task<> sleepers(std::uint64_t n) {
    bench::random_source random;
    const double memory = bench::peak_memory();
    std::vector<task<>> all;
    all.reserve(n);
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) all.push_back(sleeper(random() % 1'000'000'000));
    co_await when_all(std::move(all));
    watch.end();
    bench::found = {"memory", "B", (bench::peak_memory() - memory) / static_cast<double>(n)};
}

task<> timer_arm_cancel(std::uint64_t n) {
    struct quiet_timer : detail::timer {
        quiet_timer() noexcept : timer([](detail::timer&) noexcept {}) {}
    };
    const std::int64_t now = detail::clock_now();
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) {
        quiet_timer t;
        detail::arm(t, now + 500'000'000 + static_cast<std::int64_t>(i));
        detail::disarm(t);
    }
    watch.end();
    co_return;
}

task<> nopper(std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) co_await detail::nop_operation();
}

task<> nops(std::uint64_t n, std::uint64_t width) {
    std::vector<task<>> all;
    all.reserve(width);
    for (std::uint64_t i = 0; i < width; ++i) all.push_back(nopper(n / width));
    watch.begin();
    co_await when_all(std::move(all));
    watch.end();
}

task<> wait_at_depth(int depth) {
    if (depth == 0) {
        co_await sleep_for(std::chrono::hours(1));
        co_return;
    }
    const int below = depth - 1;
    co_await wait_at_depth(below);
}

task<> cancels(std::uint64_t n, int depth) {
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) {
        auto h = spawn(wait_at_depth(depth), "waiter");
        co_await this_job::yield();
        h.cancel();
        [[maybe_unused]] const auto gone = co_await as_result(h.join());
    }
    watch.end();
}

task<> pin(int which) {
    bench::pin_thread(which);
    co_return;
}

/// The ball of a game between two runtimes: each hit submits the next to the other.
struct game {
    runtime sides[2];
    std::uint64_t hits_left;
    std::atomic<bool> over = false;
};

task<> hit(game& g, int side) {
    if (g.hits_left-- == 0) {
        g.over = true;
        g.over.notify_all();
        co_return;
    }
    const int other = 1 - side;
    g.sides[other].submit(hit(g, other)).detach();
}

void cross_thread(std::uint64_t n) {
    game g;
    g.hits_left = 2 * n;
    for (int side = 0; side < 2; ++side) g.sides[side].submit(pin(side)).get();
    watch.begin();
    g.sides[0].submit(hit(g, 0)).detach();
    g.over.wait(false);
    watch.end();
}

task<> read_parked(long& parked) {
    parked = bench::times_parked();
    co_return;
}

void cross_thread_burst(std::uint64_t n) {
    runtime target;
    std::uint64_t count = 0;
    long before = 0;
    long after = 0;
    bench::pin_thread(0);
    target.submit(pin(1)).get();
    target.submit(read_parked(before)).get();
    watch.begin();
    for (std::uint64_t sent = 0; sent < n; sent += bench::burst) {
        for (std::uint64_t k = 1; k < bench::burst; ++k) target.submit(child(count)).detach();
        target.submit(child(count)).get();
    }
    watch.end();
    target.submit(read_parked(after)).get();
    bench::keep(count);
    bench::found = {"wakes", "count",
                    static_cast<double>(after - before) * static_cast<double>(bench::burst) / static_cast<double>(n)};
}

constexpr bench::scenario scenarios[] = {
    {"task_call", [](std::uint64_t n) { run(task_call(n)); }},
    {"task_call_depth10", [](std::uint64_t n) { run(task_call_depth10(n)); }},
    {"yield", [](std::uint64_t n) { run(yield(n)); }},
    {"when_all_10", [](std::uint64_t n) { run(when_all_10(n)); }},
    {"when_all_1000", [](std::uint64_t n) { run(when_all_1000(n)); }},
    {"spawn_1m", [](std::uint64_t n) { run(spawn_many(n)); }},
    {"sleepers_1m", [](std::uint64_t n) { run(sleepers(n)); }},
    {"timer_arm_cancel", [](std::uint64_t n) { run(timer_arm_cancel(n)); }},
    {"nop_1", [](std::uint64_t n) { run(nops(n, 1)); }},
    {"nop_64", [](std::uint64_t n) { run(nops(n, 64)); }},
    {"nop_256", [](std::uint64_t n) { run(nops(n, 256)); }},
    {"cross_thread", cross_thread},
    {"cross_thread_burst", cross_thread_burst},
    {"cancel_depth1", [](std::uint64_t n) { run(cancels(n, 0)); }},
    {"cancel_depth5", [](std::uint64_t n) { run(cancels(n, 4)); }},
    {"cancel_depth10", [](std::uint64_t n) { run(cancels(n, 9)); }},
};

}  // namespace

int main(int argc, char** argv) { return bench::run_contender(argc, argv, scenarios); }
