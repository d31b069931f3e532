// What a contender of the micro benchmarks is: a program with one function per scenario.
//
//   contender SCENARIO N      runs N units of work; prints lines of METRIC UNIT VALUE, the first of them the CPU time
//   of
//                             a unit and the second the wall time of all
//   contender                 lists its scenarios
#pragma once

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>

namespace bench {

inline double seconds(clockid_t c) {
    timespec t{};
    ::clock_gettime(c, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// CPU time of the process and wall time, between begin() and end().
class stopwatch {
public:
    void begin() {
        wall_ = seconds(CLOCK_MONOTONIC);
        cpu_ = seconds(CLOCK_PROCESS_CPUTIME_ID);
    }
    void end() {
        cpu_ = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_;
        wall_ = seconds(CLOCK_MONOTONIC) - wall_;
    }
    double cpu() const { return cpu_; }
    double wall() const { return wall_; }

private:
    double cpu_ = 0;
    double wall_ = 0;
};

inline stopwatch watch;

/// What a scenario finds out besides time.
struct figure {
    const char* metric = nullptr;
    const char* unit = nullptr;
    double value = 0;
};
inline figure found;

/// Bytes of memory that the process has had at most.
inline double peak_memory() {
    rusage use{};
    ::getrusage(RUSAGE_SELF, &use);
    return static_cast<double>(use.ru_maxrss) * 1024;
}

/// How often this thread went to sleep of its own will.
inline long times_parked() {
    rusage use{};
    ::getrusage(RUSAGE_THREAD, &use);
    return use.ru_nvcsw;
}

/// Keeps this thread on one core, the second of two threads on another if there is one.
inline void pin_thread(int which) {
    const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(which % (cores > 0 ? cores : 1)), &set);
    ::sched_setaffinity(0, sizeof set, &set);
}

/// Posts of one burst in cross_thread_burst.
inline constexpr std::uint64_t burst = 1000;

/// Keeps a result from being optimised away.
template <class T>
inline void keep(const T& value) {
    asm volatile("" : : "r,m"(value) : "memory");
}

/// A cheap generator, the same for every contender.
class random_source {
public:
    std::uint64_t operator()() {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 7U;
        state_ ^= state_ << 17U;
        return state_;
    }

private:
    std::uint64_t state_ = 88172645463325252U;
};

struct scenario {
    const char* name;
    void (*run)(std::uint64_t n);
};

inline int run_contender(int argc, char** argv, std::span<const scenario> scenarios) {
    if (argc != 3) {
        for (const scenario& s : scenarios) std::puts(s.name);
        return argc == 1 ? 0 : 2;
    }
    const std::uint64_t n = std::strtoull(argv[2], nullptr, 10);
    for (const scenario& s : scenarios) {
        if (std::strcmp(s.name, argv[1]) != 0) continue;
        s.run(n);
        std::printf("cpu_time ns %.3f\nwall_time s %.6f\n", watch.cpu() * 1e9 / static_cast<double>(n), watch.wall());
        if (found.metric != nullptr) std::printf("%s %s %.4f\n", found.metric, found.unit, found.value);
        std::fflush(stdout);
        std::_Exit(0);  // what the contender's memory costs to give back is not asked
    }
    std::fprintf(stderr, "no scenario is named '%s'\n", argv[1]);
    return 2;
}

}  // namespace bench
