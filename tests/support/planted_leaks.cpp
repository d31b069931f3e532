// Each test leaves one thing behind on purpose and passes; the conservation check must turn the program red.
#include <fcntl.h>
#include <sys/socket.h>
#include <cstdint>
#include <optional>

#include <rondo/detail/timer.hpp>
#include <rondo/mutex.hpp>
#include <rondo/net/stream.hpp>
#include <rondo/run.hpp>

#include "support/catch.hpp"

namespace {

rondo::task<int> never_awaited() { co_return 1; }

std::optional<rondo::task<int>>& left_frame() {
    static auto* const kept = new std::optional<rondo::task<int>>;
    return *kept;
}
rondo::net::chunk& left_chunk() {
    static auto* const kept = new rondo::net::chunk;
    return *kept;
}
rondo::mutex::guard& left_lock() {
    static auto* const kept = new rondo::mutex::guard;
    return *kept;
}

}  // namespace

TEST_CASE("nothing") { CHECK(rondo::run(never_awaited()) == 1); }

TEST_CASE("frame") {
    left_frame().emplace(never_awaited());
    CHECK(left_frame().has_value());
}

TEST_CASE("fd") { CHECK(::open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0); }

TEST_CASE("timer") {
    static rondo::detail::timer left([](rondo::detail::timer&) noexcept {});
    auto body = []() -> rondo::task<> {
        rondo::detail::arm(left, INT64_MAX - 1);
        co_return;
    };
    rondo::run(body());
    CHECK(left.armed());
}

TEST_CASE("buffer") {
    auto body = []() -> rondo::task<> {
        int fds[2] = {-1, -1};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
        rondo::net::stream a = rondo::net::stream::adopt(fds[0]);
        rondo::net::stream b = rondo::net::stream::adopt(fds[1]);
        co_await a.write_all("x");
        left_chunk() = co_await b.read();
    };
    rondo::run(body());
    CHECK(left_chunk().size() == 1);
}

TEST_CASE("permit") {
    static auto* const m = new rondo::mutex;
    auto body = []() -> rondo::task<> { left_lock() = co_await m->lock(); };
    rondo::run(body());
    CHECK(m->is_locked());
}
