#pragma once

#include <cstddef>

#include <rondo/export.hpp>

namespace rondo::inline v0::detail {

/// What contexts of this process left behind when they ended. All zero unless something leaked. Any thread.
struct leak_counts {
    std::size_t timers = 0;   // still armed
    std::size_t jobs = 0;     // spawned and neither ended nor given up
    std::size_t buffers = 0;  // receive buffers in chunks that somebody still holds
    std::size_t permits = 0;  // locks and permits of semaphores that somebody still holds
};
RONDO_API leak_counts count_leaks() noexcept;

/// Permits that were out when their context ended, and what was taken and (negative) given back outside of one.
RONDO_API void note_permits(std::ptrdiff_t change) noexcept;

}  // namespace rondo::inline v0::detail
