// The code of docs/guide/testing.md.
#include <chrono>
#include <string>

#include <rondo/as_result.hpp>
#include <rondo/bytes.hpp>
#include <rondo/error.hpp>
#include <rondo/net/listener.hpp>
#include <rondo/net/stream.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/testing/explore.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using namespace std::chrono_literals;

namespace {

rondo::task<int> slow_answer() {
    co_await rondo::sleep_for(1h);
    co_return 42;
}

// [echo]
/// Sends four bytes to itself, and ends the read when the kernel says so.
rondo::task<std::size_t> four_bytes(rondo::testing::simulation& machine) {
    rondo::net::listener door(rondo::net::endpoint("127.0.0.1:80"));
    auto [client, server] = co_await rondo::when_all(rondo::net::connect(door.local()), door.accept());
    co_await client.write_all(rondo::bytes("ping"));

    auto reading = rondo::spawn(
        [](rondo::net::stream* s) -> rondo::task<std::size_t> {
            const auto chunk = co_await s->read();
            co_return chunk.size();
        },
        &server);
    co_await machine.moment();  // anywhere between the other completions
    reading.cancel();
    const auto got = co_await rondo::as_result(reading.join());

    std::size_t total = got ? *got : 0;
    while (total < 4) {  // what the cancelled read did not take is still there
        const auto rest = co_await server.read();
        total += rest.size();
    }
    co_return total;
}
// [echo]

}  // namespace

TEST_CASE("the guide's test of an hour takes no time") {
    // [clock]
    rondo::virtual_clock clock;
    const auto options = rondo::runtime_options().clock(clock);
    const std::int64_t before = clock.ns();
    CHECK(rondo::run(options, slow_answer()) == 42);
    CHECK(clock.ns() - before == 3'600'000'000'000);  // exactly: nothing ran late
    // [clock]
}

TEST_CASE("the guide's echo loses no byte, whenever the cancel comes") {
    // [explore]
    const auto all = rondo::testing::explore(
        [](rondo::testing::simulation& machine) { CHECK(machine.run(four_bytes(machine)) == 4); });
    CHECK(all.is_complete());
    CHECK(all.runs() > 10);
    // [explore]

    // [seeds]
    rondo::testing::for_seeds(
        200, [](rondo::testing::simulation& machine) { CHECK(machine.run(four_bytes(machine)) == 4); });
    // [seeds]
}
