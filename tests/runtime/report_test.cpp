#include <rondo/report.hpp>

#include <string>

#include <rondo/event.hpp>
#include <rondo/race.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::event;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("the handler of reports is replaced and given back") {
    static std::string heard;
    const auto before = rondo::on_report([](std::string_view text) { heard = text; });
    rondo::report("one line");
    CHECK(heard == "one line");
    const auto mine = rondo::on_report(before);
    CHECK(mine != before);
    rondo::on_report(mine);
    rondo::on_report(nullptr);  // the default again
    CHECK(rondo::on_report(before) == before);
}

TEST_CASE("a dump shows every job, what it waits for, how long still, and the chain of awaits") {
    rondo::virtual_clock clock;
    auto body = [&]() -> task<> {
        event never;
        int inner_line = 0;
        int outer_line = 0;
        auto inner = [&]() -> task<> {
            inner_line = __LINE__ + 1;
            co_await never.wait();
        };
        auto outer = [&]() -> task<> {
            outer_line = __LINE__ + 1;
            co_await inner();
        };
        auto guarded = []() -> task<> { co_await rondo::with_timeout(1800ms, rondo::sleep_for(3h)); };
        auto racing = [&]() -> task<> { (void)co_await rondo::race(never.wait(), rondo::sleep_for(90ms)); };
        auto a = rondo::spawn(outer(), "reader");
        auto b = rondo::spawn(guarded(), "guarded");
        auto c = rondo::spawn(racing(), "racing");
        co_await this_job::yield();
        const std::string text = rondo::dump_jobs();
        CHECK(contains(text, "job main: running"));
        CHECK(contains(text, "job reader (spawned at report_test.cpp:"));
        CHECK(contains(text, "): event\n  at report_test.cpp:" + std::to_string(inner_line) +
                                 " <- report_test.cpp:" + std::to_string(outer_line) + "\n"));
        CHECK(contains(text, "job guarded"));
        CHECK(contains(text, "with_timeout, 1.8 s to go"));
        CHECK(contains(text, "  child: sleep, 1.08e+04 s to go"));
        CHECK(contains(text, "  child: sleep, 90 ms to go"));
        a.cancel();
        CHECK(contains(rondo::dump_jobs(), "ready, cancelled: requested"));
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("a dump outside a run is an error") { CHECK_THROWS_AS(rondo::dump_jobs(), rondo::error); }
