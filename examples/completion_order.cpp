// Results in the order in which they come, and leaving the rest when there are enough.
#include <chrono>
#include <iostream>
#include <vector>

#include <rondo/as_completed.hpp>
#include <rondo/for_each_completed.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>

using namespace std::chrono_literals;

namespace {

rondo::task<int> takes(int ms) {
    co_await rondo::sleep_for(std::chrono::milliseconds(ms));
    co_return ms;
}

std::vector<rondo::task<int>> some() {
    std::vector<rondo::task<int>> tasks;
    for (const int ms : {50, 10, 40, 20, 30}) tasks.push_back(takes(ms));
    return tasks;
}

rondo::task<> use_completion_order() {
    // [stream]
    auto done = rondo::as_completed(some());
    while (auto next = co_await done.next()) {
        const auto& [index, result] = *next;
        std::cout << "task " << index << " took " << *result << " ms\n";
    }
    // [stream]

    // [early]
    int taken = 0;
    co_await rondo::for_each_completed(some(), [&](std::size_t index, const rondo::result<int>& r) {
        std::cout << "first of all: task " << index << ", " << *r << " ms\n";
        return ++taken < 2;  // false: the others are cancelled and awaited
    });
    // [early]
}

}  // namespace

int main() { rondo::run(use_completion_order()); }
