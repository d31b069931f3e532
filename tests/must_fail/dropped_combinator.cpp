// must not compile: nothing happens until it is awaited: co_await it
#include <rondo/race.hpp>

rondo::task<int> number();

rondo::task<> start() {
    rondo::race(number(), number());
    co_return;
}
