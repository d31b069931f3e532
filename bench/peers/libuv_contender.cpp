// libuv in the micro benchmarks: callbacks, no coroutines.
#include <uv.h>
#include <thread>
#include <vector>

#include "support/scenario.hpp"

using bench::watch;

namespace {

/// One uv_timer a sleeper; its clock has milliseconds.
void sleepers(std::uint64_t n) {
    uv_loop_t* const loop = uv_default_loop();
    bench::random_source random;
    const double memory = bench::peak_memory();
    std::vector<uv_timer_t> all(n);
    watch.begin();
    uv_update_time(loop);
    for (uv_timer_t& t : all) {
        uv_timer_init(loop, &t);
        uv_timer_start(&t, [](uv_timer_t*) {}, random() % 1000, 0);
    }
    uv_run(loop, UV_RUN_DEFAULT);
    watch.end();
    bench::found = {"memory", "B", (bench::peak_memory() - memory) / static_cast<double>(n)};
}

void timer_arm_cancel(std::uint64_t n) {
    uv_timer_t timer;
    uv_timer_init(uv_default_loop(), &timer);
    watch.begin();
    for (std::uint64_t i = 0; i < n; ++i) {
        uv_timer_start(&timer, [](uv_timer_t*) {}, 500, 0);
        uv_timer_stop(&timer);
    }
    watch.end();
}

struct game {
    uv_loop_t loops[2];
    uv_async_t balls[2];
    std::uint64_t hits_left = 0;
};

/// Called in the loop that the ball came to.
void hit(uv_async_t* ball) {
    auto& g = *static_cast<game*>(ball->data);
    if (g.hits_left == 0) {  // the end goes round once, so that both loops stop
        uv_stop(ball->loop);
    } else if (--g.hits_left == 0) {
        uv_stop(ball->loop);
    }
    uv_async_send(ball == &g.balls[0] ? &g.balls[1] : &g.balls[0]);
}

void cross_thread(std::uint64_t n) {
    game g;
    g.hits_left = 2 * n;
    for (int i = 0; i < 2; ++i) {
        uv_loop_init(&g.loops[i]);
        uv_async_init(&g.loops[i], &g.balls[i], hit);
        g.balls[i].data = &g;
    }
    std::thread other([&] {
        bench::pin_thread(1);
        uv_run(&g.loops[1], UV_RUN_DEFAULT);
    });
    bench::pin_thread(0);
    watch.begin();
    uv_async_send(&g.balls[1]);
    uv_run(&g.loops[0], UV_RUN_DEFAULT);
    watch.end();
    other.join();
}

constexpr bench::scenario scenarios[] = {
    {"sleepers_1m", sleepers},
    {"timer_arm_cancel", timer_arm_cancel},
    {"cross_thread", cross_thread},
};

}  // namespace

int main(int argc, char** argv) { return bench::run_contender(argc, argv, scenarios); }
