// Whether a run kept what the demo promises.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "board.hpp"

namespace demo {

/// What a run is held to.
struct limits {
    duration wall{};                           ///< from the first wait armed to the last settled, at most
    std::array<duration, part_count> grain{};  ///< coarseness of each part's clock: waits closer than that may swap
    bool judge_time = true;

    duration grain_of(part p) const noexcept { return grain[static_cast<std::size_t>(p)]; }
    /// The longest wait and 50 ms, or 20 ms for timers alone, and the grain of the coarsest clock.
    static duration wall_limit(const board& b, const std::array<duration, part_count>& grain) noexcept;
};

/// `10 9 8 …`: the numbers of one part in the order in which they settled.
std::string order_of(const board& b, part p);

/// True when the part's waits settled in the order of their promises.
bool in_order(const board& b, part p, duration grain);

/// How long after its promised time the part's latest wait settled.
duration latest(const board& b, part p);

/// One line for each promise that was not kept, each saying what was expected; empty when all were.
std::vector<std::string> complaints(const board& b, const limits& l);

}  // namespace demo
