// Ten promises that take 10, 9, ... 1 seconds: on one thread all are kept after 10 s, the shortest first.
#include <chrono>
#include <cstdio>
#include <vector>

#include <rondo/promise.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>

using rondo::promise;
using rondo::task;

// setTimeout(() => resolve(value), time)
static task<> set_timeout(auto resolve, int value, std::chrono::seconds time) {
    co_await rondo::sleep_for(time);
    resolve(value);
}

static promise<int> take(int number, std::chrono::seconds time) {
    return promise<int>::create(
        [&](auto resolve, auto /*reject*/) { rondo::spawn(set_timeout(resolve, number, time)).detach(); });
}

static task<> ten_promises() {
    std::vector<promise<int>> all;
    for (int number = 1; number <= 10; ++number) {
        promise<int> p = take(number, std::chrono::seconds(11 - number));
        all.push_back(p.then([](int n) {
            std::printf("Success: Promise %d is fulfilled!\n", n);
            return n;
        }));
    }
    co_await promise<int>::all(all);
}

int main() { rondo::run(ten_promises()); }
