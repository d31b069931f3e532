#include <rondo/when_any.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/virtual_clock.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::task;
using namespace std::chrono_literals;

namespace {

template <class T>
T run_virtual(task<T> t) {
    rondo::virtual_clock clock;
    return rondo::run(rondo::runtime_options().clock(clock), std::move(t));
}

task<std::string> gives_after(std::string value, std::chrono::seconds time) {
    const tracked alive;
    co_await rondo::sleep_for(time);
    co_return value;
}

task<std::string> fails_after(std::string text, std::chrono::seconds time) {
    co_await rondo::sleep_for(time);
    throw std::runtime_error(text);
}

task<> first_success() {
    const auto won = co_await rondo::when_any(fails_after("early", 1s), gives_after("b", 2s), gives_after("c", 3s));
    CHECK(won.index() == 1);
    CHECK(std::get<1>(won) == "b");
    CHECK(tracked::alive == 0);  // the loser is gone
}

task<> all_fail() {
    std::vector<rondo::fault> faults;
    try {
        co_await rondo::when_any(fails_after("second", 2s), fails_after("first", 1s));
    } catch (const rondo::aggregate_error& e) {
        faults = e.faults();
        CHECK(std::string(e.what()).find("all 2 failed") != std::string::npos);
    }
    REQUIRE(faults.size() == 2);
    CHECK(faults[0].text() == "second");  // in the order of the arguments
    CHECK(faults[1].text() == "first");
}

task<> ranges() {
    std::vector<task<std::string>> list;
    list.push_back(fails_after("x", 1s));
    list.push_back(gives_after("y", 2s));
    const auto won = co_await rondo::when_any(std::move(list));
    CHECK(won.first == 1);
    CHECK(won.second == "y");
    bool threw = false;
    try {
        co_await rondo::when_any(std::vector<task<std::string>>());
    } catch (const rondo::aggregate_error& e) {
        threw = e.faults().empty();
    }
    CHECK(threw);
}

task<> ready_members() {
    auto ready = []() -> task<int> { co_return 1; };
    const auto a = co_await rondo::when_any(ready(), gives_after("late", 5s));
    CHECK(a.index() == 0);
    const auto b = co_await rondo::when_any(gives_after("late", 5s), ready());
    CHECK(b.index() == 1);
    CHECK(tracked::alive == 0);
}

}  // namespace

TEST_CASE("when_any gives the first success, and the losers are gone") { run_virtual(first_success()); }
TEST_CASE("when_any of failures throws an aggregate with each of them") { run_virtual(all_fail()); }
TEST_CASE("when_any takes ranges, and an empty one can only fail") { run_virtual(ranges()); }
TEST_CASE("when_any with a member that is ready at once ends at once in either order") { run_virtual(ready_members()); }
