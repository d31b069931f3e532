#include "demo/board.hpp"

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "support/catch.hpp"

using demo::board;
using demo::part;
using namespace std::chrono_literals;

namespace {

demo::time_point hand_clock_now;
demo::time_point hand_clock() { return hand_clock_now; }

class names final : public demo::observer {
public:
    void settled(const demo::wait& w) override { seen.push_back(std::string(name(w.part())) + w.message()); }
    std::vector<std::string> seen;
};

}  // namespace

TEST_CASE("wait number n of ten promises eleven minus n seconds, scaled") {
    board b(std::array{part::timers, part::http}, 0.1);

    REQUIRE(b.waits().size() == 20);
    for (const part p : {part::timers, part::http}) {
        REQUIRE(b.of(p).size() == 10);
        for (const demo::wait& w : b.of(p)) {
            CHECK(w.part() == p);
            CHECK(w.promised() == (11 - w.number()) * 100ms);
        }
    }
    CHECK(b.of(part::redis).empty());
}

TEST_CASE("the board keeps the order and the moments of settling and tells its observers") {
    board b(std::array{part::redis}, 1, &hand_clock);
    names seen;
    b.observe(seen);
    hand_clock_now = demo::time_point(5s);
    b.begin();

    hand_clock_now += 1s;
    b.fulfil(b.of(part::redis)[9]);
    hand_clock_now += 1500ms;
    b.reject(b.of(part::redis)[0], "no luck");

    CHECK(seen.seen == std::vector<std::string>{"redisSuccess: Promise 10 is fulfilled!",
                                                "redisFailure: Promise 1 is rejected: no luck"});
    REQUIRE(b.settled().size() == 2);
    CHECK(b.settled()[0]->number() == 10);
    CHECK(b.settled()[0]->elapsed() == 1s);
    CHECK(b.settled()[0]->fulfilled());
    CHECK_FALSE(b.settled()[1]->fulfilled());
    CHECK(b.settled()[1]->reason() == "no luck");
    CHECK(b.wall() == 2500ms);
    CHECK_FALSE(b.complete());
    CHECK_FALSE(b.waits()[4].settled());
}

TEST_CASE("the board is complete when every wait has settled") {
    board b(std::array{part::timers}, 1);
    b.begin();
    CHECK(b.wall() == 0ns);
    for (demo::wait& w : b.waits()) {
        CHECK_FALSE(b.complete());
        b.fulfil(w);
    }
    CHECK(b.complete());
}
