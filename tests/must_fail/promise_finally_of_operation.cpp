// must not compile: return a task or a promise
#include <chrono>

#include <rondo/promise.hpp>
#include <rondo/sleep.hpp>

void use(rondo::promise<int> p) {
    p.finally([] { return rondo::sleep_for(std::chrono::seconds(1)); });
}
