// Very many jobs cancelled at once, and jobs that will not be: neither keeps the others from running.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rondo/cancelled.hpp>
#include <rondo/context.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/scope.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>

#include "support/catch.hpp"

using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

/// Gathers what is reported while it lives.
class listening {
public:
    listening() : before_(rondo::on_report([](std::string_view text) { heard.emplace_back(text); })) { heard.clear(); }
    ~listening() { rondo::on_report(before_); }
    listening(const listening&) = delete;
    listening& operator=(const listening&) = delete;

    static inline std::vector<std::string> heard;

private:
    rondo::report_handler before_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

task<> sleeper(std::size_t& ended) {
    struct at_end {
        explicit at_end(std::size_t& n) : count(&n) {}
        ~at_end() { ++*count; }
        std::size_t* count;
    } const counts(ended);
    co_await rondo::sleep_for(1h);
}

task<> sleep_and_cancel(std::size_t many, std::size_t& ended) {
    co_await rondo::with_scope([&](rondo::scope& s) -> task<> {
        for (std::size_t i = 0; i < many; ++i) s.spawn(sleeper(ended), "sleeper");
        co_await this_job::yield();
        s.cancel();
    });
}

/// Goes on until `stop`, whatever happens to its waits.
task<> swallower(const bool& stop, std::size_t& swallowed, unsigned& line) {
    while (!stop) {
        try {
            line = __LINE__ + 1;
            co_await rondo::sleep_for(1h);
        } catch (const rondo::cancelled&) {
            ++swallowed;
        }
    }
}

}  // namespace

TEST_CASE("a cancel of very many jobs is spread over turns, and the kernel is asked in between") {
    constexpr std::size_t many = 100'000;
    constexpr std::size_t jobs_per_turn = 256;
    rondo::virtual_clock clock;
    std::size_t ended = 0;
    auto body = [&]() -> task<> {
        const auto full_turns = [] { return rondo::context::current().metrics().full_turns; };
        const std::uint64_t before = full_turns();
        co_await sleep_and_cancel(many, ended);
        CHECK(full_turns() - before >= many / jobs_per_turn - 1);
    };
    rondo::run(rondo::runtime_options().clock(clock), body());
    CHECK(ended == many);
}

TEST_CASE("a job that swallows each cancellation and goes on is reported once, with its name and its line") {
    const listening reports;
    bool stop = false;
    std::size_t swallowed = 0;
    unsigned line = 0;
    auto body = [&]() -> task<> {
        auto job = rondo::spawn(swallower(stop, swallowed, line), "stubborn");
        co_await this_job::yield();
        job.cancel();
        std::size_t turns = 0;
        while (swallowed < 50'000) {
            co_await this_job::yield();  // others run all the time
            ++turns;
        }
        CHECK(turns >= 50'000 / 256);
        stop = true;
        co_await job.join();
    };
    rondo::run(body());
    REQUIRE(listening::heard.size() == 1);
    const std::string& text = listening::heard.front();
    INFO(text);
    CHECK(contains(text, "stubborn"));
    CHECK(contains(text, "cancelled: requested"));
    CHECK(contains(text, "mass_cancel_test.cpp:" + std::to_string(line)));
}

TEST_CASE("a job that catches some cancellations while it cleans up is not reported") {
    const listening reports;
    bool stop = false;
    std::size_t swallowed = 0;
    unsigned line = 0;
    auto body = [&]() -> task<> {
        auto job = rondo::spawn(swallower(stop, swallowed, line), "cleans up");
        co_await this_job::yield();
        job.cancel();
        while (swallowed < 1000) co_await this_job::yield();
        stop = true;
        co_await job.join();
    };
    rondo::run(body());
    CHECK(listening::heard.empty());
}
