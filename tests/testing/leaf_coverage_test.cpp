#include <rondo/testing/leaf_coverage.hpp>

#include <chrono>
#include <string>

#include <rondo/event.hpp>
#include <rondo/sleep.hpp>

#include "testing/scenario.hpp"

using namespace std::chrono_literals;

namespace {

task<> sleep_then_read(stream& s, std::string& got) {
    try {
        co_await rondo::sleep_for(1s);
    } catch (const rondo::cancelled&) {}
    co_await read_once(s, got);
}

task<> cancel_twice(simulation& m, const join_handle<void>& h) {
    co_await m.moment();
    h.cancel();
    co_await m.moment();
    h.cancel();
}

task<> two_cancels(simulation& m) {
    ends e(m);
    std::string got;
    rondo::event set;
    set.set();
    auto job = rondo::spawn(sleep_then_read(e.a, got), "job");
    auto cancelling = rondo::spawn(cancel_twice(m, job), "canceller");
    co_await write_and_end(e.b, "x");
    co_await set.wait();
    co_await was_cancelled(job);
    co_await cancelling.join();
}

}  // namespace

TEST_CASE("exploring visits every cell of the table of a leaf's states") {
    const auto e = explore([](simulation& m) { m.run(two_cancels(m)); });
    REQUIRE(e.is_complete());
#ifndef NDEBUG
    REQUIRE(e.leaves().missing() == "");
#endif
}
