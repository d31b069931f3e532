// must not compile: a task is awaited once, by one: pass f\(\), or std::move\(t\)
#include <rondo/spawn.hpp>

rondo::task<int> number();

void start() {
    auto n = number();
    rondo::spawn(n).detach();
}
