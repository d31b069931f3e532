// The code of docs/guide/tasks.md and docs/guide/combinators.md.
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <rondo/all_settled.hpp>
#include <rondo/as_result.hpp>
#include <rondo/error.hpp>
#include <rondo/race.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/when_any.hpp>

#include "support/catch.hpp"

using namespace std::chrono_literals;

namespace {

// [task]
rondo::task<std::string> greet(std::string name) {
    co_await rondo::sleep_for(10ms);  // other jobs run meanwhile
    co_return "hello " + name;
}

rondo::task<> use() {
    const std::string greeting = co_await greet("world");  // a call: starts now, throws here
    if (greeting.empty()) throw std::runtime_error("nothing to say");
}
// [task]

// [spawn]
rondo::task<std::string> two_at_once() {
    auto first = rondo::spawn(greet("one"), "greet one");  // starts on the next turn
    auto second = rondo::spawn(greet("two"), "greet two");
    const std::string a = co_await first.join();
    const std::string b = co_await second.join();
    co_return a + ", " + b;
}
// [spawn]

// [lambda]
rondo::task<int> count_words(const std::vector<std::string>& words) {
    int count = 0;
    auto add = [&](const std::string& word) -> rondo::task<> {  // by reference, and named:
        co_await rondo::this_job::yield();                      // the lambda outlives the await
        if (!word.empty()) ++count;
    };
    for (const std::string& word : words) co_await add(word);
    co_return count;
}
// [lambda]

// [condition]
rondo::task<bool> is_ready();

rondo::task<> wait_until_ready() {
    for (;;) {
        const bool ready = co_await is_ready();  // not: while (!co_await is_ready())
        if (ready) break;
        co_await rondo::sleep_for(10ms);
    }
}
// [condition]

int asked = 0;
rondo::task<bool> is_ready() { co_return ++asked == 3; }

rondo::task<int> gives(int n, std::chrono::milliseconds after) {
    co_await rondo::sleep_for(after);
    co_return n;
}
rondo::task<int> fails(std::chrono::milliseconds after) {
    co_await rondo::sleep_for(after);
    throw std::runtime_error("no luck");
}

rondo::task<std::string> use_combinators() {
    std::string log;
    // [when_all]
    auto [user, orders] = co_await rondo::when_all(gives(7, 20ms), gives(3, 10ms));
    // [when_all]
    log += std::to_string(user) + std::to_string(orders);

    // [range]
    std::vector<rondo::task<int>> tasks;
    for (int i = 0; i < 3; ++i) tasks.push_back(gives(i, 10ms));
    const std::vector<int> all = co_await rondo::when_all(std::move(tasks));
    // [range]
    log += std::to_string(all.size());

    // [all_settled]
    auto [good, bad] = co_await rondo::all_settled(gives(1, 5ms), fails(5ms));
    if (good && !bad) log += " " + bad.error().text();
    // [all_settled]

    // [race]
    const auto first = co_await rondo::race(gives(1, 50ms), gives(2, 5ms));
    if (first.index() == 1) log += " second won";  // the first was cancelled and awaited
    // [race]

    // [when_any]
    const auto success = co_await rondo::when_any(fails(1ms), gives(2, 5ms));
    log += " " + std::to_string(std::get<1>(success));
    // [when_any]

    // [result]
    const rondo::result<int> r = co_await rondo::as_result(fails(1ms));
    if (!r) log += " " + r.error().text();
    // [result]
    co_return log;
}

}  // namespace

TEST_CASE("the guide's tasks do what it says") {
    rondo::virtual_clock clock;
    const auto options = rondo::runtime_options().clock(clock);
    rondo::run(options, use());
    CHECK(rondo::run(options, two_at_once()) == "hello one, hello two");
    CHECK(rondo::run(options, count_words({"a", "", "b"})) == 2);
    rondo::run(options, wait_until_ready());
    CHECK(asked == 3);
}

TEST_CASE("the guide's combinators do what it says") {
    rondo::virtual_clock clock;
    CHECK(rondo::run(rondo::runtime_options().clock(clock), use_combinators()) == "733 no luck second won 2 no luck");
}
