// What the scenarios on the simulated machine share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <rondo/as_result.hpp>
#include <rondo/net/listener.hpp>
#include <rondo/net/stream.hpp>
#include <rondo/spawn.hpp>
#include <rondo/testing/explore.hpp>

#include "support/catch.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RONDO_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RONDO_TEST_SANITIZED 1
#endif
#endif

namespace {

using rondo::join_handle;
using rondo::result;
using rondo::task;
using rondo::net::chunk;
using rondo::net::listener;
using rondo::net::stream;
using rondo::testing::explore;
using rondo::testing::explore_options;
using rondo::testing::faults;
using rondo::testing::for_seeds;
using rondo::testing::simulation;

#ifdef RONDO_TEST_SANITIZED
constexpr std::uint64_t seeds = 500;
#else
constexpr std::uint64_t seeds = 10'000;
#endif

/// Runs a scenario in every order, and under seeds with every fault.
template <class F>
void everywhere(F scenario) {
    SECTION("in every order") { REQUIRE(explore(scenario).is_complete()); }
    SECTION("under seeds with faults") { for_seeds(seeds, scenario); }
}

/// Two ends of a connection; to be made inside a run.
class ends {
public:
    explicit ends(simulation& m) : ends(m.connected()) {}
    stream a;
    stream b;

private:
    explicit ends(std::pair<int, int> fds) : a(stream::adopt(fds.first)), b(stream::adopt(fds.second)) {}
};

[[maybe_unused]] task<> read_once(stream& s, std::string& into) {
    const chunk c = co_await s.read();
    into += c.text();
}

[[maybe_unused]] task<> read_to_end(stream& s, std::string& into) {
    for (;;) {
        const chunk c = co_await s.read();
        if (c.empty()) co_return;
        into += c.text();
    }
}

[[maybe_unused]] task<> write_and_end(stream& s, std::string text) {
    co_await s.write_all(text);
    s.shutdown();
}

/// Cancels a job at every moment there is.
[[maybe_unused]] task<> cancel_at_some_moment(simulation& m, const join_handle<void>& h) {
    co_await m.moment();
    h.cancel();
}

/// Whether it ended as cancelled; what else it failed with is thrown.
[[maybe_unused]] task<bool> was_cancelled(join_handle<void>& h) {
    const result<void> r = co_await rondo::as_result(h.join());
    if (r.has_value()) co_return false;
    if (r.error().code() != rondo::errc::cancelled) r.error().raise();
    co_return true;
}

}  // namespace
