// must not compile: sleep_until: takes a rondo::time_point, of the steady clock
#include <rondo/sleep.hpp>
#include <rondo/task.hpp>

rondo::task<> nap() { co_await rondo::sleep_until(std::chrono::system_clock::now()); }
