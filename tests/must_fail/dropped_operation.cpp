// must not compile: nothing happens until it is awaited: co_await it
#include <rondo/sleep.hpp>
#include <rondo/task.hpp>

rondo::task<> nap() {
    rondo::sleep_for(std::chrono::seconds(1));
    co_return;
}
