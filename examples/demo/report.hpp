// The table at the end: this run, its targets, and the figures others published.
#pragma once

#include <string>

#include "board.hpp"
#include "figures.hpp"
#include "flags.hpp"
#include "verdict.hpp"

namespace demo {

/// What a run cost, as the report shows it.
struct costs {
    duration cpu{};                                          ///< from main on
    duration cpu_before_main{};                              ///< loading and linking the program
    std::size_t processes = 0, threads = 0, memory_kib = 0;  ///< 0: not known
};

/// The whole report, several lines.
std::string report(const board& b, const costs& c, const limits& l, const flags& f);

}  // namespace demo
