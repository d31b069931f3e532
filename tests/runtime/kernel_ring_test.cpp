#include "kernel_ring.hpp"

#include <unistd.h>
#include <cstdlib>

#include <rondo/blocking.hpp>
#include <rondo/readiness.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/when_all.hpp>

#include "buffer_ring.hpp"
#include "support/catch.hpp"

using rondo::task;
using rondo::detail::kernel_ring;
using namespace std::chrono_literals;

namespace {

class disabled {
public:
    explicit disabled(const char* what) { ::setenv("RONDO_DISABLE", what, 1); }
    ~disabled() { ::unsetenv("RONDO_DISABLE"); }
    disabled(const disabled&) = delete;
    disabled& operator=(const disabled&) = delete;
};

bool lends_buffers() {
    kernel_ring r(8);
    auto* const b = new rondo::detail::buffer_ring(r);
    const bool usable = b->is_usable();
    b->let_go();
    return usable;
}

/// Timers, the pool, and operations: everything a loop waits for.
task<int> all_kinds_of_waits() {
    int fd[2];
    if (::pipe(fd) != 0) co_return -1;
    auto writes = [&fd]() -> task<int> {
        co_await rondo::sleep_for(1ms);
        const auto n = co_await rondo::blocking([&fd] { return ::write(fd[1], "x", 1); });
        co_return static_cast<int>(n);
    };
    auto reads = [&fd]() -> task<int> {
        co_await rondo::readable(fd[0]);
        co_return 1;
    };
    auto [a, b] = co_await rondo::when_all(writes(), reads());
    ::close(fd[0]);
    ::close(fd[1]);
    co_return a + b;
}

}  // namespace

TEST_CASE("a ring that must not defer its completions works like one that does") {
    const disabled here("buffer_ring,defer_taskrun");
    CHECK_FALSE(kernel_ring(8).defers_completions());
    CHECK(rondo::run(all_kinds_of_waits()) == 2);
}

TEST_CASE("a ring that is read through its fd does not defer") {
    CHECK_FALSE(kernel_ring(8, kernel_ring::waiting::on_fd).defers_completions());
}

TEST_CASE("the buffer ring is not registered when it is disabled, and is when something else is") {
    {
        const disabled here("buffer_ring");
        CHECK_FALSE(lends_buffers());
    }
    {
        const disabled here("defer_taskrun,buffer_ring,");
        CHECK_FALSE(lends_buffers());
    }
    const disabled here("buffer_ring_of_another_name,,defer");
    CHECK(lends_buffers());
    CHECK(kernel_ring(8).defers_completions());
}
