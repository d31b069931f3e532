// The scenarios of the micro benchmarks, how long one run of each is, and what it is to reach.
#pragma once

#include <span>

namespace bench {

/// What rondo is to reach in a metric of a scenario: a multiple of the floor that the same compiler built, or a value.
struct target {
    enum class kind { none, times_floor, at_most };

    kind what = kind::none;
    double limit = 0;
};

constexpr target times_floor(double limit) { return {target::kind::times_floor, limit}; }
constexpr target at_most(double limit) { return {target::kind::at_most, limit}; }

struct scenario_plan {
    const char* name;
    unsigned long long units;       // of one run of rondo or a floor: 20 to 500 ms
    unsigned long long peer_units;  // of one run of a peer, which may take 100 times as long for one
    target cpu;                     // of the CPU time of a unit, in ns
};

// clang-format off
inline constexpr scenario_plan micro_suite[] = {
    {"task_call",          10'000'000,   500'000, times_floor(1.30)},
    {"task_call_depth10",   1'000'000,    50'000, times_floor(1.30)},
    {"yield",              20'000'000, 1'000'000, times_floor(1.30)},
    {"when_all_10",        10'000'000,   500'000, times_floor(1.80)},
    {"when_all_1000",      10'000'000,   500'000, times_floor(1.80)},
    {"spawn_1m",            1'000'000, 1'000'000, times_floor(1.50)},
    {"sleepers_1m",         1'000'000, 1'000'000, times_floor(1.50)},
    {"timer_arm_cancel",   20'000'000, 1'000'000, at_most(10.0)},
    {"nop_1",                 100'000,     5'000, times_floor(1.03)},
    {"nop_64",              2'000'000,   100'000, times_floor(1.08)},
    {"nop_256",             2'000'000,   100'000, times_floor(1.15)},
    {"cross_thread",            1'000,     1'000, times_floor(1.10)},
    {"cross_thread_burst",    200'000,   200'000, {}},
    {"cancel_depth1",          50'000,     2'500, {}},
    {"cancel_depth5",          50'000,     2'500, {}},
    {"cancel_depth10",         50'000,     2'500, {}},
};
// clang-format on

/// Of what a scenario finds out besides time.
struct figure_target {
    const char* scenario;
    const char* metric;
    const char* title;
    target goal;
};

inline constexpr figure_target micro_figures[] = {
    {"sleepers_1m", "memory", "peak memory, bytes a sleeper", at_most(200)},
    {"cross_thread_burst", "wakes", "wakes in a burst of 1000", at_most(2)},
};

}  // namespace bench
