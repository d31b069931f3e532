// Ten promises that wait on timers.
#pragma once

#include <rondo/task.hpp>

#include "board.hpp"

namespace demo {

/// Settles the board's timer waits. `blocking`: each is a real blocking sleep on a thread of the pool.
/// Lifetime: the board outlives it.
rondo::task<> timers_part(board& b, bool blocking);

}  // namespace demo
