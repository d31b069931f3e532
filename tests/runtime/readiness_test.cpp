#include <rondo/readiness.hpp>

#include <unistd.h>
#include <array>

#include <rondo/as_result.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::task;
using namespace std::chrono_literals;

namespace {

class pipe_ends {
public:
    pipe_ends() { REQUIRE(::pipe(ends_.data()) == 0); }
    ~pipe_ends() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    pipe_ends(const pipe_ends&) = delete;
    pipe_ends& operator=(const pipe_ends&) = delete;
    int reader() const { return ends_[0]; }
    int writer() const { return ends_[1]; }

private:
    std::array<int, 2> ends_{};
};

task<> wakes_on_data(const pipe_ends& p) {
    bool woke = false;
    auto wait = [&]() -> task<> {
        co_await rondo::readable(p.reader());
        woke = true;
    };
    auto h = rondo::spawn(wait(), "waiter");
    for (int i = 0; i < 10; ++i) co_await rondo::this_job::yield();
    CHECK_FALSE(woke);
    const auto written = ::write(p.writer(), "x", 1);
    CHECK(written == 1);
    co_await h.join();
    CHECK(woke);
    co_await rondo::writable(p.writer());
}

task<> ends_when_cancelled(const pipe_ends& p) {
    const auto r = co_await rondo::as_result(rondo::with_timeout(1ms, rondo::readable(p.reader())));
    CHECK(r.error() == rondo::errc::timed_out);
}

task<> names_the_fd() {
    const auto r = co_await rondo::as_result(rondo::readable(999'999));
    CHECK(r.error().code() == std::errc::bad_file_descriptor);
    CHECK(r.error().text().find("fd 999999") != std::string::npos);
}

}  // namespace

TEST_CASE("readable waits for data and writable for room") {
    const pipe_ends p;
    rondo::run(wakes_on_data(p));
}
TEST_CASE("a readiness wait ends when it is cancelled") {
    const pipe_ends p;
    rondo::run(ends_when_cancelled(p));
}
TEST_CASE("waiting on a bad file descriptor is an error that names it") { rondo::run(names_the_fd()); }
