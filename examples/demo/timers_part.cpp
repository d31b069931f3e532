#include "timers_part.hpp"

#include <thread>
#include <utility>
#include <vector>

#include <rondo/blocking.hpp>
#include <rondo/promise.hpp>
#include <rondo/sleep.hpp>

namespace demo {

namespace {

using rondo::promise;
using rondo::task;

task<int> on_a_timer(int number, time_point due) {
    co_await rondo::sleep_until(due);
    co_return number;
}

task<int> on_a_thread(int number, time_point due) {
    co_await rondo::blocking([&due] { std::this_thread::sleep_until(due); });
    co_return number;
}

}  // namespace

task<> timers_part(board& b, bool blocking) {
    std::vector<promise<int>> all;
    for (wait& w : b.of(part::timers)) {
        const time_point due = b.began() + w.promised();
        const auto start = blocking ? &on_a_thread : &on_a_timer;
        const promise<int> p = promise<int>::from(start(w.number(), due));
        all.push_back(p.then([&b, &w](int number) {
            b.fulfil(w);
            return number;
        }));
    }
    co_await promise<int>::all(std::move(all));
}

}  // namespace demo
