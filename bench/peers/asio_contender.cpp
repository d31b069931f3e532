// Asio (epoll, C++20 coroutines) in the micro benchmarks.
#include <asio.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <chrono>
#include <vector>

#include "support/scenario.hpp"

using asio::awaitable;
using asio::co_spawn;
using asio::detached;
using asio::io_context;
using asio::steady_timer;
using asio::use_awaitable;
using bench::watch;

namespace {

io_context context(1);

/// Runs one coroutine, and whatever it starts, to the end.
void run(awaitable<void> a) {
    co_spawn(context, std::move(a), detached);
    context.run();
}

[[gnu::noinline]] awaitable<int> leaf(int x) { co_return x + 1; }

[[gnu::noinline]] awaitable<int> nest(int depth) {
    if (depth == 0) co_return 1;
    const int below = co_await nest(depth - 1);
    co_return 1 + below;
}

awaitable<void> task_call(std::uint64_t n) {
    std::uint64_t sum = 0;
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) {
        const int r = co_await leaf(static_cast<int>(i));
        sum += static_cast<std::uint64_t>(r);
    }
    watch.end();
    bench::keep(sum);
}

awaitable<void> task_call_depth10(std::uint64_t n) {
    std::uint64_t sum = 0;
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) {
        const int r = co_await nest(9);
        sum += static_cast<std::uint64_t>(r);
    }
    watch.end();
    bench::keep(sum);
}

awaitable<void> yielder(std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) co_await asio::post(context, use_awaitable);
}

void yield(std::uint64_t n) {
    co_spawn(context, yielder(n / 2), detached);
    co_spawn(context, yielder(n / 2), detached);
    watch.begin();
    context.run();
    watch.end();
}

[[gnu::noinline]] awaitable<void> child(std::uint64_t& count) {
    ++count;
    co_return;
}

awaitable<void> when_all_10(std::uint64_t n) {
    using namespace asio::experimental::awaitable_operators;
    std::uint64_t count = 0;
    std::uint64_t& c = count;
    watch.begin();
    for (std::uint64_t i = 0; i < n; i += 10) {
        co_await (child(c) && child(c) && child(c) && child(c) && child(c) && child(c) && child(c) && child(c) &&
                  child(c) && child(c));
    }
    watch.end();
    bench::keep(count);
}

void spawn_many(std::uint64_t n) {
    std::uint64_t count = 0;
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) co_spawn(context, child(count), detached);
    context.run();
    watch.end();
    bench::keep(count);
}

awaitable<void> sleeper(std::uint64_t ns) {
    steady_timer timer(context, std::chrono::nanoseconds(ns));
    co_await timer.async_wait(use_awaitable);
}

void sleepers(std::uint64_t n) {
    bench::random_source random;
    const double memory = bench::peak_memory();
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) co_spawn(context, sleeper(random() % 1'000'000'000), detached);
    context.run();
    watch.end();
    bench::found = {"memory", "B", (bench::peak_memory() - memory) / static_cast<double>(n)};
}

/// Beside an earlier timer, as in any program; the only one would cost a system call each.
void timer_arm_cancel(std::uint64_t n) {
    steady_timer earlier(context, std::chrono::milliseconds(400));
    earlier.async_wait([](asio::error_code) {});
    steady_timer timer(context);
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) {
        timer.expires_after(std::chrono::milliseconds(500));
        timer.async_wait([](asio::error_code) {});
        timer.cancel();
        context.poll();
    }
    watch.end();
}

/// Two loops on two threads, with a coroutine that hops between them.
void cross_thread(std::uint64_t n) {
    io_context there(1);
    const auto open = asio::make_work_guard(there);
    std::thread other([&] {
        bench::pin_thread(1);
        there.run();
    });
    bench::pin_thread(0);
    const auto hopper = [&]() -> awaitable<void> {
        for (std::uint64_t i = 0; i < n; ++i) {
            co_await asio::post(there, use_awaitable);
            co_await asio::post(context, use_awaitable);
        }
    };
    const auto main = hopper;
    watch.begin();
    run(main());
    watch.end();
    there.stop();
    other.join();
}

constexpr bench::scenario scenarios[] = {
    {"task_call", [](std::uint64_t n) { run(task_call(n)); }},
    {"task_call_depth10", [](std::uint64_t n) { run(task_call_depth10(n)); }},
    {"yield", yield},
    {"when_all_10", [](std::uint64_t n) { run(when_all_10(n)); }},
    {"spawn_1m", spawn_many},
    {"sleepers_1m", sleepers},
    {"timer_arm_cancel", timer_arm_cancel},
    {"cross_thread", cross_thread},
};

}  // namespace

int main(int argc, char** argv) { return bench::run_contender(argc, argv, scenarios); }
