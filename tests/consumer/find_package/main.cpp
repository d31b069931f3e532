// Touches each component it asked for, so that what is missing from the installation does not link or does not run.
#include <chrono>
#include <cstdio>
#include <string>

#include <rondo/http/status.hpp>
#include <rondo/net/endpoint.hpp>
#include <rondo/redis/error.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/task.hpp>
#include <rondo/testing/simulation.hpp>

rondo::task<int> wait_and_answer() {
    co_await rondo::sleep_for(std::chrono::milliseconds(1));
    co_return 42;
}

int main() {
    const bool waits = rondo::run(wait_and_answer()) == 42;
    rondo::testing::simulation machine(1);
    const bool simulates = machine.run(wait_and_answer()) == 42;
    machine.check();
    const bool names = rondo::net::endpoint("127.0.0.1:80").to_string() == "127.0.0.1:80";
    const bool speaks =
        !rondo::http::reason_phrase(200).empty() && !std::string(rondo::redis::category().name()).empty();
    if (waits && simulates && names && speaks) return 0;
    std::fprintf(stderr, "waits %d, simulates %d, names %d, speaks %d\n", waits, simulates, names, speaks);
    return 1;
}
