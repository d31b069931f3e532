// The code of docs/guide/cancellation.md and docs/guide/stuck.md.
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <rondo/as_result.hpp>
#include <rondo/cancel_source.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/error.hpp>
#include <rondo/event.hpp>
#include <rondo/finally.hpp>
#include <rondo/job_local.hpp>
#include <rondo/mutex.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using namespace std::chrono_literals;

namespace {

std::string log_text;

rondo::task<> send(const char* what) {
    co_await rondo::sleep_for(1ms);
    log_text += std::string(what) + ";";
}

// [finally]
rondo::task<> talk() {
    co_await send("hello");
    co_await rondo::sleep_for(1h);
}

rondo::task<> polite() { co_await rondo::finally(talk(), send("goodbye")); }
// [finally]

// [catch]
rondo::task<> reports_its_end() {
    bool cancelled = false;
    try {
        co_await rondo::sleep_for(1h);
    } catch (const rondo::cancelled& c) {
        log_text += rondo::to_string(c.reason());
        cancelled = true;  // no co_await in a catch block: remember, and await after it
    }
    if (cancelled) co_await rondo::shield(send(" is the reason"));
}
// [catch]

// [job_local]
rondo::job_local<std::string> request_id;

rondo::task<> handle() {
    co_await rondo::this_job::yield();
    if (const std::string* id = request_id.get()) log_text += *id + ";";
}

rondo::task<> serve() { co_await request_id.with("r-17", rondo::with_timeout(1s, handle())); }
// [job_local]

// [source]
rondo::task<> until_stopped(rondo::cancel_token stop) {
    const auto r = co_await rondo::as_result(rondo::with_cancellation(std::move(stop), rondo::sleep_for(1h)));
    if (!r && r.error().code() == rondo::errc::cancelled) log_text += "stopped;";
}
// [source]

// [deadlock]
rondo::task<> transfer(rondo::mutex& from, rondo::mutex& to) {
    auto first = co_await from.lock();
    co_await rondo::this_job::yield();
    auto second = co_await to.lock();
}

rondo::task<> both_ways() {
    rondo::mutex a;
    rondo::mutex b;
    co_await rondo::when_all(transfer(a, b), transfer(b, a));
}
// [deadlock]

}  // namespace

TEST_CASE("the guide's cancellations end as it says") {
    rondo::virtual_clock clock;
    const auto options = rondo::runtime_options().clock(clock);
    log_text.clear();
    rondo::run(options, []() -> rondo::task<> {
        const auto r = co_await rondo::as_result(rondo::with_timeout(10ms, polite()));
        CHECK(r.error().code() == rondo::errc::timed_out);
        auto h = rondo::spawn(reports_its_end());
        co_await rondo::this_job::yield();
        h.cancel();
        static_cast<void>(co_await rondo::as_result(h.join()));
        co_await serve();
    }());
    CHECK(log_text == "hello;goodbye;requested is the reason;r-17;");
}

TEST_CASE("the guide's cancel source stops a run from another thread") {
    log_text.clear();
    const rondo::cancel_source stop;
    std::thread other([&stop] { stop.cancel(); });
    rondo::run(until_stopped(stop.token()));
    other.join();
    CHECK(log_text == "stopped;");
}

TEST_CASE("the guide's deadlock is proven and reported with both jobs and their awaits") {
    std::string what;
    try {
        rondo::run(both_ways());
    } catch (const rondo::error& e) {
        CHECK(e.code() == rondo::errc::deadlock);
        what = e.what();
    }
    CHECK(what.find("nothing can ever wake the program again") != std::string::npos);
    CHECK(what.find("job main: 2 children") != std::string::npos);
    CHECK(what.find("child: mutex") != std::string::npos);
    CHECK(what.find("cancellation_test.cpp:") != std::string::npos);
    INFO(what);
    CHECK(what.size() > 100);
}
