// must not compile: sleep_for: of what\? Say the unit: sleep_for\(5s\)
#include <rondo/sleep.hpp>
#include <rondo/task.hpp>

rondo::task<> nap() { co_await rondo::sleep_for(5); }
