#include <rondo/finally.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>

#include "support/catch.hpp"

using rondo::task;
using namespace std::chrono_literals;

namespace {

template <class T>
T run_virtual(task<T> t) {
    rondo::virtual_clock clock;
    return rondo::run(rondo::runtime_options().clock(clock), std::move(t));
}

std::vector<std::string> reports;
void note_report(std::string_view text) { reports.emplace_back(text); }

task<int> gives(int n) {
    co_await rondo::sleep_for(1s);
    co_return n;
}
task<int> fails() {
    co_await rondo::sleep_for(1s);
    throw std::runtime_error("work failed");
}
task<> clean(int& count) {
    co_await rondo::sleep_for(1s);  // waits also in a cancelled job
    ++count;
}
task<> clean_badly() {
    co_await rondo::sleep_for(1s);
    throw std::runtime_error("clean-up failed");
}

task<> outcomes() {
    int count = 0;
    const int n = co_await rondo::finally(gives(5), clean(count));
    CHECK(n == 5);
    CHECK(count == 1);
    const auto failed = co_await rondo::as_result(rondo::finally(fails(), clean(count)));
    CHECK(failed.error().text() == "work failed");
    CHECK(count == 2);
    const auto spoilt = co_await rondo::as_result(rondo::finally(gives(5), clean_badly()));
    CHECK(spoilt.error().text() == "clean-up failed");
}

task<> both_fail() {
    const auto r = co_await rondo::as_result(rondo::finally(fails(), clean_badly()));
    CHECK(r.error().text() == "work failed");
}

task<> cancelled_work() {
    int count = 0;
    bool went_on = false;
    auto body = [&]() -> task<> {
        co_await rondo::finally(rondo::sleep_for(1h), clean(count));
        went_on = true;
    };
    auto h = rondo::spawn(body(), "worker");
    co_await rondo::this_job::yield();
    h.cancel();
    const auto r = co_await rondo::as_result(h.join());
    CHECK(r.error() == rondo::errc::cancelled);
    CHECK(count == 1);
    CHECK_FALSE(went_on);
}

task<> slow_cleanup() {
    const auto r = co_await rondo::as_result(rondo::finally(gives(1), rondo::sleep_for(1h), 2s));
    CHECK(r.error() == rondo::errc::timed_out);
}

}  // namespace

TEST_CASE("finally runs the clean-up after a value and after an error, and gives what the work gave") {
    run_virtual(outcomes());
}
TEST_CASE("when work and clean-up fail the work's error is thrown and the other reported") {
    reports.clear();
    const auto before = rondo::on_report(&note_report);
    run_virtual(both_fail());
    rondo::on_report(before);
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].find("clean-up failed") != std::string::npos);
}
TEST_CASE("the clean-up of cancelled work still waits, and the job then unwinds") { run_virtual(cancelled_work()); }
TEST_CASE("a clean-up is ended by its own grace deadline") { run_virtual(slow_cleanup()); }
