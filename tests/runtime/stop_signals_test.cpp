#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>

#include <rondo/error.hpp>
#include <rondo/event.hpp>
#include <rondo/finally.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/runtime.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::runtime_options;
using rondo::task;
using namespace std::chrono_literals;

namespace {

template <class F>
rondo::fault fault_of(F f) {
    try {
        f();
    } catch (const rondo::error& e) {
        return e.fault();
    }
    return {};
}

/// Raises the signal itself, once it is about to wait.
task<> raises_and_sleeps(int signal) {
    rondo::spawn(
        [](int s) -> task<> {
            std::raise(s);
            co_return;
        },
        signal)
        .detach();
    co_await rondo::sleep_for(1h);
}

std::string reported;

}  // namespace

TEST_CASE("the first signal cancels the main task, and the error names it") {
    bool cleaned = false;
    auto main = [&]() -> task<> {
        co_await rondo::finally(raises_and_sleeps(SIGTERM), [&]() -> task<> {
            cleaned = true;
            co_return;
        }());
    };
    const rondo::fault f = fault_of([&] { rondo::run(runtime_options().stop_on(SIGINT, SIGTERM), main()); });
    CHECK(f.code() == rondo::make_error_code(errc::cancelled));
    CHECK(f.text().find("stopped by SIGTERM") != std::string::npos);
    CHECK(cleaned);
}

TEST_CASE("a main task that ends with a value when it is asked to stop gives it") {
    auto main = []() -> task<int> {
        int how = 0;
        try {
            co_await raises_and_sleeps(SIGINT);
        } catch (const rondo::cancelled& c) {
            how = c.reason() == rondo::cancel_reason::shutdown ? 1 : 2;
        }
        co_return how;
    };
    CHECK(rondo::run(runtime_options().stop_on(SIGINT), main()) == 1);
}

TEST_CASE("a signal that another thread of the process receives stops the run, parked or not") {
    for (int i = 0; i < 50; ++i) {
        std::optional<std::thread> killer;
        auto main = [&]() -> task<> {
            killer.emplace([] { ::kill(::getpid(), SIGUSR1); });
            co_await rondo::sleep_for(1h);
        };
        const rondo::fault f = fault_of([&] { rondo::run(runtime_options().stop_on(SIGUSR1), main()); });
        killer->join();
        CHECK(f.text().find("stopped by SIGUSR1") != std::string::npos);
    }
}

TEST_CASE("a main task that does not end within the grace period is reported with its await line, and destroyed") {
    reported.clear();
    const auto before = rondo::on_report([](std::string_view text) { reported += text; });
    auto main = []() -> task<> {
        std::raise(SIGINT);
        for (;;) {
            bool over = false;
            try {
                co_await rondo::sleep_for(1h);
                over = true;
            } catch (const rondo::cancelled&) {}
            if (over) break;
        }
    };
    const rondo::fault f = fault_of([&] { rondo::run(runtime_options().stop_on(SIGINT).grace(1ms), main()); });
    rondo::on_report(before);
    CHECK(f.code() == rondo::make_error_code(errc::cancelled));
    CHECK(f.detail().find("the main task went on when it was cancelled") != std::string::npos);
    CHECK(f.detail().find("stop_signals_test.cpp") != std::string::npos);
    CHECK(reported.find("did not end within the grace period") != std::string::npos);
    CHECK(reported.find("job main") != std::string::npos);
}

TEST_CASE("the second signal has its own effect at once") {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        auto main = []() -> task<> {
            std::raise(SIGTERM);
            std::raise(SIGTERM);
            co_return;
        };
        rondo::run(runtime_options().stop_on(SIGTERM), main());
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("after the run the signals have the effect they had before") {
    struct sigaction ours{};
    ours.sa_handler = SIG_IGN;
    struct sigaction usual{};
    ::sigaction(SIGUSR2, &ours, &usual);
    auto main = []() -> task<> { co_return; };
    rondo::run(runtime_options().stop_on(SIGUSR2), main());
    struct sigaction now{};
    ::sigaction(SIGUSR2, &usual, &now);
    CHECK(now.sa_handler == SIG_IGN);
}

TEST_CASE("signals do not hide a deadlock") {
    auto main = []() -> task<> {
        rondo::event never;
        co_await never.wait();
    };
    const rondo::fault f = fault_of([&] { rondo::run(runtime_options().stop_on(SIGINT), main()); });
    CHECK(f.code() == rondo::make_error_code(errc::deadlock));
}

TEST_CASE("what cannot be a stop signal is refused, and so is a second run that wants them") {
    const auto code = [](auto f) { return fault_of(f).code(); };
    CHECK(code([] { static_cast<void>(runtime_options().stop_on(0)); }) ==
          rondo::make_error_code(errc::invalid_argument));
    CHECK(code([] { static_cast<void>(runtime_options().stop_on(65)); }) ==
          rondo::make_error_code(errc::invalid_argument));
    auto nothing = []() -> task<> { co_return; };
    CHECK(code([&] { rondo::run(runtime_options().stop_on(SIGKILL), nothing()); }).category() ==
          std::system_category());
    CHECK(code([] { const rondo::runtime r(runtime_options().stop_on(SIGINT)); }) ==
          rondo::make_error_code(errc::invalid_argument));
    auto second = [&]() -> task<std::error_code> {
        std::error_code got;
        std::thread([&] { got = code([&] { rondo::run(runtime_options().stop_on(SIGINT), nothing()); }); }).join();
        co_return got;
    };
    CHECK(rondo::run(runtime_options().stop_on(SIGINT), second()) == rondo::make_error_code(errc::busy));
}
