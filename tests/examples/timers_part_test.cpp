#include "demo/timers_part.hpp"

#include <array>
#include <chrono>

#include <rondo/run.hpp>
#include <rondo/virtual_clock.hpp>

#include "demo/verdict.hpp"
#include "support/catch.hpp"

using demo::board;
using demo::part;

namespace {

const rondo::virtual_clock* current_clock = nullptr;
demo::time_point virtual_now() { return current_clock->now(); }

}  // namespace

TEST_CASE("under a virtual clock the ten promises settle exactly on time and in order, and no real time is waited") {
    rondo::virtual_clock clock;
    current_clock = &clock;
    board b(std::array{part::timers}, 1000, &virtual_now);  // the longest promises ten thousand seconds
    b.begin();

    rondo::run(rondo::runtime_options().clock(clock), demo::timers_part(b, false));

    REQUIRE(b.complete());
    for (const demo::wait& w : b.waits()) CHECK(w.elapsed() == w.promised());
    CHECK(demo::order_of(b, part::timers) == "10 9 8 7 6 5 4 3 2 1");
    CHECK(b.wall() == std::chrono::seconds(10000));
}
