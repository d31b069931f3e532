#include <rondo/scope.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/detail/frame_pool.hpp>
#include <rondo/event.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::scope;
using rondo::task;
using rondo::with_scope;
using namespace std::chrono_literals;

namespace {

task<> sleeps(std::chrono::milliseconds d, std::vector<int>& log, int n) {
    co_await rondo::sleep_for(d);
    log.push_back(n);
}
task<> fails_after(std::chrono::milliseconds d, const char* what) {
    co_await rondo::sleep_for(d);
    throw std::runtime_error(what);
}
task<int> gives(int n) {
    co_await rondo::this_job::yield();
    co_return n;
}
/// Counts up when it was cancelled.
task<> waits(int& cancelled) {
    try {
        co_await rondo::sleep_for(1h);
    } catch (const rondo::cancelled& c) {
        cancelled += c.reason() == rondo::cancel_reason::sibling_failed ? 1 : 100;
        throw;
    }
}

template <class F>
void on_virtual_time(F main) {
    rondo::virtual_clock clock;
    rondo::run(rondo::runtime_options().clock(clock), main());
}

std::string reported;

}  // namespace

TEST_CASE("a scope returns when its body and all its jobs have ended, and gives what the body gives") {
    on_virtual_time([]() -> task<> {
        std::vector<int> log;
        const std::string s = co_await with_scope([&](scope& jobs) -> task<std::string> {
            jobs.spawn(sleeps(20ms, log, 2), "second");
            jobs.spawn(sleeps, 10ms, std::ref(log), 1);
            CHECK(jobs.size() == 2);
            log.push_back(0);
            co_return "body";
        });
        CHECK(s == "body");
        CHECK(log == std::vector{0, 1, 2});
    });
}

TEST_CASE("an empty scope returns at once, a million times, on a flat stack") {
    rondo::run([]() -> task<> {
        auto body = [](scope&) -> task<> { co_return; };
        for (int i = 0; i < 1'000'000; ++i) co_await with_scope(body);
    }());
}

TEST_CASE("the first failure of a job cancels the others and the body, and is thrown after they have ended") {
    on_virtual_time([]() -> task<> {
        int cancelled = 0;
        std::string what;
        try {
            co_await with_scope([&](scope& s) -> task<> {
                s.spawn(waits(cancelled));
                s.spawn(fails_after(5ms, "first"));
                s.spawn(waits(cancelled));
                co_await waits(cancelled);
            });
        } catch (const std::runtime_error& e) {
            what = e.what();
        }
        CHECK(what == "first");
        CHECK(cancelled == 3);
    });
}

TEST_CASE("a failure of the body cancels the jobs, and is thrown after they have ended") {
    on_virtual_time([]() -> task<> {
        int cancelled = 0;
        std::string what;
        try {
            co_await with_scope([&](scope& s) -> task<> {
                s.spawn(waits(cancelled));
                co_await fails_after(5ms, "body");
            });
        } catch (const std::runtime_error& e) {
            what = e.what();
        }
        CHECK(what == "body");
        CHECK(cancelled == 1);
    });
}

TEST_CASE("a second failure that nobody joined is reported with the job's name and origin") {
    reported.clear();
    const auto before = rondo::on_report([](std::string_view text) { reported += text; });
    on_virtual_time([]() -> task<> {
        auto stubborn = []() -> task<> {
            try {
                co_await rondo::sleep_for(1h);
            } catch (const rondo::cancelled&) {
                throw std::logic_error("while it was cancelled");
            }
        };
        const auto r = co_await rondo::as_result(with_scope([&](scope& s) -> task<> {
            s.spawn(fails_after(1ms, "first"), "fails");
            s.spawn(stubborn(), "stubborn");
            co_return;
        }));
        CHECK(r.error().text().find("first") != std::string::npos);
    });
    rondo::on_report(before);
    CHECK(reported.find("job 'stubborn' spawned at scope_test.cpp") != std::string::npos);
    CHECK(reported.find("while it was cancelled") != std::string::npos);
    CHECK(reported.find("'fails'") == std::string::npos);
}

TEST_CASE("after a failure no job is started any more") {
    on_virtual_time([]() -> task<> {
        bool started = false;
        auto late = [&]() -> task<> {
            started = true;
            co_return;
        };
        const auto r = co_await rondo::as_result(with_scope([&](scope& s) -> task<> {
            s.spawn(fails_after(0ms, "first"));
            try {
                co_await rondo::sleep_for(1h);
            } catch (const rondo::cancelled&) {
                s.spawn(late());
            }
        }));
        CHECK(!r);
        CHECK(!started);
    });
}

TEST_CASE("a scope that is cancelled cancels its body and jobs and awaits them") {
    on_virtual_time([]() -> task<> {
        int ended = 0;
        auto slow_to_end = [&]() -> task<> {
            try {
                co_await rondo::sleep_for(1h);
            } catch (const rondo::cancelled&) {
                ++ended;
                throw;
            }
        };
        const auto r = co_await rondo::as_result(rondo::with_timeout(10ms, with_scope([&](scope& s) -> task<> {
                                                                         s.spawn(slow_to_end());
                                                                         s.spawn(slow_to_end());
                                                                         co_await slow_to_end();
                                                                     })));
        CHECK(r.error().code() == rondo::make_error_code(errc::timed_out));
        CHECK(ended == 3);
    });
}

TEST_CASE("a scope whose body had ended is cancelled with the jobs that were still at work") {
    on_virtual_time([]() -> task<> {
        const auto r = co_await rondo::as_result(rondo::with_timeout(10ms, with_scope([&](scope& s) -> task<int> {
                                                                         s.spawn(fails_after(1h, "never"));
                                                                         co_return 1;
                                                                     })));
        CHECK(r.error().code() == rondo::make_error_code(errc::timed_out));
    });
}

TEST_CASE("jobs of a scope start others in it, also when its body has ended") {
    on_virtual_time([]() -> task<> {
        int count = 0;
        struct tree {
            static task<> grow(scope& s, int depth, int& n) {
                ++n;
                co_await rondo::sleep_for(1ms);
                if (depth == 0) co_return;
                s.spawn(grow(s, depth - 1, n));
                s.spawn(grow(s, depth - 1, n));
            }
        };
        co_await with_scope([&](scope& s) -> task<> {
            s.spawn(tree::grow(s, 9, count));
            co_return;
        });
        CHECK(count == 1023);
    });
}

TEST_CASE("cancelling the jobs of a scope leaves its body, and is no failure") {
    on_virtual_time([]() -> task<> {
        int cancelled = 0;
        const int n = co_await with_scope([&](scope& s) -> task<int> {
            s.spawn(waits(cancelled));
            auto h = s.spawn(waits(cancelled));
            co_await rondo::this_job::yield();
            h.cancel();
            co_await rondo::this_job::yield();
            CHECK(s.size() == 1);
            s.cancel();
            co_await rondo::sleep_for(1ms);
            CHECK(s.size() == 0);
            auto v = s.spawn(gives(5));
            co_return co_await v.join();
        });
        CHECK(n == 5);
        CHECK(cancelled == 200);
    });
}

TEST_CASE("a handle outlives the scope and keeps the value") {
    rondo::run([]() -> task<> {
        std::vector<rondo::scoped_handle<int>> handles;
        co_await with_scope([&](scope& s) -> task<> {
            for (int i = 0; i < 3; ++i) handles.push_back(s.spawn(gives(i)));
            co_return;
        });
        for (int i = 0; i < 3; ++i) {
            CHECK(handles[static_cast<std::size_t>(i)].is_done());
            const int v = co_await handles[static_cast<std::size_t>(i)].join();
            CHECK(v == i);
        }
    }());
}

TEST_CASE("the memory of ended jobs is given back while the scope goes on") {
    rondo::run([]() -> task<> {
        co_await with_scope([&](scope& s) -> task<> {
            std::size_t most = 0;
            const std::size_t before = rondo::detail::count_frames().live;
            for (int i = 0; i < 100'000; ++i) {
                s.spawn(gives(i));
                if (i % 100 != 0) continue;
                while (s.size() != 0) co_await rondo::this_job::yield();
                const std::size_t live = rondo::detail::count_frames().live;
                most = live > before + most ? live - before : most;
            }
            CHECK(most < 400);
        });
    }());
}

TEST_CASE("a dump shows the jobs of a scope below it") {
    on_virtual_time([]() -> task<> {
        std::string dump;
        co_await with_scope([&](scope& s) -> task<> {
            auto never = []() -> task<> { co_await rondo::sleep_for(1h); };
            s.spawn(never(), "sleeper");
            co_await rondo::this_job::yield();
            dump = rondo::dump_jobs();
            s.cancel();
        });
        const std::size_t scope_line = dump.find("job main: scope of 1 child and 1 job");
        const std::size_t job_line = dump.find("  job sleeper (spawned at scope_test.cpp");
        CHECK(scope_line != std::string::npos);
        CHECK(job_line != std::string::npos);
        CHECK(scope_line < job_line);
    });
}

TEST_CASE("a job of a scope has the scope's deadline, a spawned job has none") {
    on_virtual_time([]() -> task<> {
        CHECK(!rondo::this_job::deadline());
        auto asks = []() -> task<std::optional<rondo::time_point>> { co_return rondo::this_job::deadline(); };
        auto names = []() -> task<std::string> { co_return rondo::this_job::name(); };
        co_await rondo::with_timeout(10s, rondo::with_timeout(20s, with_scope([&](scope& s) -> task<> {
                                                                  const auto mine = rondo::this_job::deadline();
                                                                  auto h = s.spawn(asks());
                                                                  const auto of_job = co_await h.join();
                                                                  CHECK(mine);
                                                                  CHECK(mine == of_job);
                                                                  auto spawned = rondo::spawn(asks());
                                                                  const auto of_spawned = co_await spawned.join();
                                                                  CHECK(!of_spawned);
                                                                  auto [a, b] =
                                                                      co_await rondo::when_all(asks(), names());
                                                                  CHECK(a == mine);
                                                                  CHECK(b == "main");
                                                                  auto named = s.spawn(names(), "child");
                                                                  const std::string its_name = co_await named.join();
                                                                  CHECK(its_name == "main");
                                                              })));
    });
}
