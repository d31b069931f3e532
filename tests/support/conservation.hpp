// Nothing may be left when a test program ends.
#pragma once

#include <string>

namespace rondo::testing_support {

/// Compares with the state at the start of the program: coroutine frames, open fds, and what contexts left behind when
/// they ended (timers, jobs, receive buffers, locks and permits). False, with `why` saying what is left, when anything
/// is.
bool conserved(std::string& why);

}  // namespace rondo::testing_support
