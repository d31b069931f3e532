#include <rondo/all_settled.hpp>

#include <stdexcept>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/event.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/virtual_clock.hpp>

#include "support/catch.hpp"

using rondo::task;
using namespace std::chrono_literals;

namespace {

template <class T>
T run_virtual(task<T> t) {
    rondo::virtual_clock clock;
    return rondo::run(rondo::runtime_options().clock(clock), std::move(t));
}

task<int> gives_after(int value, std::chrono::seconds time) {
    co_await rondo::sleep_for(time);
    co_return value;
}

task<int> fails_after(std::chrono::seconds time) {
    co_await rondo::sleep_for(time);
    throw std::runtime_error("failed");
}

task<> a_failure_cancels_nobody() {
    auto [a, b, c] = co_await rondo::all_settled(fails_after(1s), gives_after(2, 3s), rondo::sleep_for(2s));
    CHECK_FALSE(a.has_value());
    CHECK(a.error().text() == "failed");
    CHECK(b.value() == 2);
    CHECK(c.has_value());
}

task<> a_range_gives_a_vector() {
    std::vector<task<int>> list;
    list.push_back(gives_after(7, 2s));
    list.push_back(fails_after(1s));
    const auto results = co_await rondo::all_settled(std::move(list));
    REQUIRE(results.size() == 2);
    CHECK(results[0].value() == 7);
    CHECK_FALSE(results[1].has_value());
    const auto none = co_await rondo::all_settled(std::vector<task<int>>());
    CHECK(none.empty());
}

task<> a_cancelled_job_unwinds() {
    bool went_on = false;
    auto h = rondo::spawn(
        [](bool& flag) -> task<> {
            rondo::event never;
            co_await rondo::all_settled(never.wait(), rondo::sleep_for(1h));
            flag = true;
        }(went_on),
        "settling");
    co_await rondo::sleep_for(1s);
    h.cancel();
    const auto r = co_await rondo::as_result(h.join());
    CHECK(r.error() == rondo::errc::cancelled);
    CHECK_FALSE(went_on);
}

}  // namespace

TEST_CASE("all_settled gives every outcome and a failure cancels nobody") { run_virtual(a_failure_cancels_nobody()); }
TEST_CASE("all_settled of a range gives a vector of results") { run_virtual(a_range_gives_a_vector()); }
TEST_CASE("cancelling a job in all_settled unwinds it instead of giving results") {
    run_virtual(a_cancelled_job_unwinds());
}
