#include <rondo/interval.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/error.hpp>
#include <rondo/run.hpp>
#include <rondo/task.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::interval;
using rondo::missed_ticks;
using rondo::task;
using namespace std::chrono_literals;

namespace {

/// When the ticks came, in milliseconds, with work that takes that long after each.
std::vector<std::int64_t> ticks(missed_ticks how, std::vector<int> work,
                                std::vector<std::uint64_t>* left_out = nullptr) {
    rondo::virtual_clock clock;
    std::vector<std::int64_t> at;
    rondo::run(rondo::runtime_options().clock(clock), [&]() -> task<> {
        const std::int64_t start = clock.ns();
        interval every(100ms, how);
        for (const int ms : work) {
            const std::uint64_t n = co_await every.tick();
            if (left_out != nullptr) left_out->push_back(n);
            at.push_back((clock.ns() - start) / 1'000'000);
            co_await rondo::sleep_for(std::chrono::milliseconds(ms));
        }
    }());
    return at;
}
using list = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("ticks come a period apart and do not drift, however long the work takes") {
    CHECK(ticks(missed_ticks::burst, {0, 99, 50, 1, 0}) == list{100, 200, 300, 400, 500});
}

TEST_CASE("burst gives the missed ticks at once until it has caught up") {
    CHECK(ticks(missed_ticks::burst, {350, 0, 0, 0, 0}) == list{100, 450, 450, 450, 500});
}

TEST_CASE("skip leaves them out, says how many, and keeps the rhythm") {
    std::vector<std::uint64_t> left_out;
    CHECK(ticks(missed_ticks::skip, {350, 0, 200, 0, 0}, &left_out) == list{100, 450, 500, 700, 800});
    CHECK(left_out == std::vector<std::uint64_t>{0, 2, 0, 1, 0});
}

TEST_CASE("delay begins a whole period anew") {
    CHECK(ticks(missed_ticks::delay, {350, 0, 0, 0}) == list{100, 450, 550, 650});
}

TEST_CASE("a tick whose wait was cancelled is not lost, and the first may come at once") {
    rondo::virtual_clock clock;
    rondo::run(rondo::runtime_options().clock(clock), [&]() -> task<> {
        const std::int64_t start = clock.ns();
        interval every = interval(100ms).at_once();
        co_await every.tick();
        CHECK(clock.ns() == start);
        const auto r = co_await rondo::as_result(rondo::with_timeout(30ms, every.tick()));
        CHECK(r.error().code() == rondo::make_error_code(errc::timed_out));
        co_await every.tick();
        CHECK(clock.ns() - start == 100'000'000);
    }());
}

TEST_CASE("a period that is not positive is refused") {
    for (const rondo::duration d : {rondo::duration(0), rondo::duration(-1)}) {
        try {
            const interval none(d);
            FAIL("it was taken");
        } catch (const rondo::error& e) {
            CHECK(e.code() == rondo::make_error_code(errc::invalid_argument));
        }
    }
}
