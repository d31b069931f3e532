#include "demo/verdict.hpp"

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "support/catch.hpp"

using demo::board;
using demo::limits;
using demo::part;
using namespace std::chrono_literals;

namespace {

demo::time_point hand_clock_now;
demo::time_point hand_clock() { return hand_clock_now; }

constexpr std::array timers{part::timers};
constexpr std::array redis{part::redis};
constexpr std::array all{part::timers, part::redis, part::http};

void settle(board& b, part p, int number, demo::duration late = 0ns) {
    demo::wait& w = b.of(p)[static_cast<std::size_t>(number - 1)];
    hand_clock_now = b.began() + w.promised() + late;
    b.fulfil(w);
}

void settle_all(board& b, demo::duration late = 0ns) {
    for (int n = 10; n >= 1; --n)
        for (const part p : b.parts()) settle(b, p, n, late);
}

limits limits_of(const board& b) {
    limits l;
    l.wall = limits::wall_limit(b, l.grain);
    return l;
}

}  // namespace

TEST_CASE("a run that keeps its promises has no complaints") {
    board b(all, 1, &hand_clock);
    settle_all(b, 50ms);
    CHECK(demo::complaints(b, limits_of(b)).empty());
    CHECK(demo::order_of(b, part::redis) == "10 9 8 7 6 5 4 3 2 1");
    CHECK(demo::latest(b, part::http) == 50ms);
}

TEST_CASE("the wall limit is the longest wait and 50 ms, 20 ms for timers alone") {
    const std::array<demo::duration, demo::part_count> fine{0ns, 2ms, 0ns}, coarse{0ns, 100ms, 0ns}, none{};
    CHECK(limits::wall_limit(board(all, 1), fine) == 10050ms);
    CHECK(limits::wall_limit(board(all, 0.1), fine) == 1050ms);
    CHECK(limits::wall_limit(board(redis, 1), fine) == 10050ms);
    CHECK(limits::wall_limit(board(timers, 1), none) == 10020ms);
    CHECK(limits::wall_limit(board(all, 1), coarse) == 10150ms);
}

TEST_CASE("a late end is a complaint that says what was expected") {
    board b(timers, 1, &hand_clock);
    settle_all(b, 21ms);
    CHECK(demo::complaints(b, limits_of(b)) ==
          std::vector<std::string>{"wall: expected at most 10.020 s, but it took 10.0210 s"});
}

TEST_CASE("a wait that settles before its time is a complaint") {
    board b(timers, 1, &hand_clock);
    settle_all(b, -500ms);
    const std::vector<std::string> found = demo::complaints(b, limits_of(b));
    REQUIRE(found.size() == 10);
    CHECK(found[0] == "timers 10: expected to settle after 1.000 s, not before, but it took 0.500 s");
}

TEST_CASE("a wrong order is a complaint also when the time is not judged") {
    board b(timers, 1, &hand_clock);
    for (const int n : {10, 9, 8, 6, 7, 5, 4, 3, 2, 1}) settle(b, part::timers, n, 1h);
    limits l = limits_of(b);
    l.judge_time = false;
    CHECK(demo::complaints(b, l) == std::vector<std::string>{"timers: expected the order 10 9 8 7 6 5 4 3 2 1, "
                                                             "but it was 10 9 8 6 7 5 4 3 2 1"});
}

TEST_CASE("waits closer together than the server's grain may swap, others may not") {
    board neighbours(redis, 0.1, &hand_clock), apart(redis, 0.1, &hand_clock);
    for (const int n : {9, 10, 8, 7, 6, 5, 4, 3, 2, 1}) settle(neighbours, part::redis, n);
    for (const int n : {8, 9, 10, 7, 6, 5, 4, 3, 2, 1}) settle(apart, part::redis, n);
    CHECK(demo::in_order(neighbours, part::redis, 100ms));
    CHECK_FALSE(demo::in_order(neighbours, part::redis, 99ms));
    CHECK_FALSE(demo::in_order(apart, part::redis, 100ms));
}

TEST_CASE("waits that fail or never settle are complaints") {
    board b(timers, 1, &hand_clock);
    for (int n = 10; n >= 3; --n) settle(b, part::timers, n);
    b.reject(b.of(part::timers)[1], "connection refused");
    const std::vector<std::string> found = demo::complaints(b, limits_of(b));
    REQUIRE(found.size() == 2);
    CHECK(found[0] == "timers 1: expected to be fulfilled, but: it never settled");
    CHECK(found[1] == "timers 2: expected to be fulfilled, but: connection refused");
}
