// What the run cost: CPU time, memory, threads and processes, as the kernel counts them.
#pragma once

#include <cstddef>

#include <sys/types.h>

#include "board.hpp"

namespace demo {

/// CPU time of this process so far, all threads, user and system.
duration process_cpu() noexcept;

/// Most memory this process has held so far. VmHWM, not ru_maxrss: that one begins at the parent's.
std::size_t peak_memory_kib() noexcept;

/// Threads of this process now, or 0 when /proc does not say.
std::size_t thread_count() noexcept;

/// This process and its descendants without `aside` and its own, or 0 when /proc does not say.
std::size_t process_count(pid_t aside) noexcept;

/// Looks at each settling how many threads and processes there are, and keeps the most.
class figures final : public observer {
public:
    explicit figures(duration cpu_at_main) noexcept : cpu_at_main_(cpu_at_main) {}

    void settled(const wait&) override { sample(); }
    void sample() noexcept;
    /// A child that is not counted.
    void put_aside(pid_t child) noexcept { aside_ = child; }

    duration cpu_before_main() const noexcept { return cpu_at_main_; }
    duration cpu_from_main() const noexcept { return process_cpu() - cpu_at_main_; }
    std::size_t most_threads() const noexcept { return threads_; }
    std::size_t most_processes() const noexcept { return processes_; }

private:
    duration cpu_at_main_;
    pid_t aside_ = 0;
    std::size_t threads_ = 0, processes_ = 0;
};

}  // namespace demo
