// What the user asked for on the command line.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "board.hpp"

namespace demo {

/// A command line that cannot be obeyed; what() names the flag.
class flag_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct flags {
    double scale = 1;
    std::vector<part> parts{part::timers, part::redis, part::http};
    std::string redis_url;   ///< empty: a private redis-server is started as a child
    std::string http_url;    ///< empty: rondo's own server, in this process
    bool blocking = false;   ///< timers are real blocking sleeps on the thread pool
    bool plain = false;      ///< lines even on a terminal
    bool time_check = true;  ///< judge the wall time too, not only order and completeness
    bool help = false;

    bool has(part p) const noexcept;
};

/// Errors: flag_error.
flags parse_flags(int argc, const char* const* argv);

/// What --help prints.
extern const char* const usage;

}  // namespace demo
