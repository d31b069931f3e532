// What a contender of the micro benchmarks is: a program with one function per scenario.
//
//   contender SCENARIO N      runs N units of work; prints CPU nanoseconds per unit, and seconds of wall time
//   contender                 lists its scenarios
#pragma once

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
        std::printf("%.3f %.6f\n", watch.cpu() * 1e9 / static_cast<double>(n), watch.wall());
        std::fflush(stdout);
        std::_Exit(0);  // what the contender's memory costs to give back is not asked
    }
    std::fprintf(stderr, "no scenario is named '%s'\n", argv[1]);
    return 2;
}

}  // namespace bench
