// g++ 12 compiles some coroutines to nothing. The door notices, and stops with a message instead of hanging for ever.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <coroutine>
#include <cstdlib>
#include <string>

#include <rondo/detail/job.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>

#include "support/catch.hpp"

using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;

namespace {

struct ending {
    int status = 0;
    std::string said;
    bool aborted() const { return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT; }
    bool succeeded() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
    bool says(const std::string& part) const { return said.find(part) != said.npos; }
};

/// Runs `f` in a process of its own, which may die; it succeeds if f gives true.
ending in_child(bool (*f)()) {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        ::signal(SIGABRT, SIG_DFL);
        ::alarm(30);
        ::dup2(ends[1], STDERR_FILENO);
        ::_exit(f() ? 0 : 1);
    }
    ::close(ends[1]);
    ending e;
    char buffer[512];
    for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        e.said.append(buffer, static_cast<std::size_t>(n));
    ::close(ends[0]);
    ::waitpid(child, &e.status, 0);
    return e;
}

task<int> three() {
    co_await this_job::yield();
    co_return 3;
}

// What g++ 12.2 drops: nothing is declared in the outermost block, and a condition awaits.
task<int> victim() {
    if (co_await three() != 3) co_return 1;
    co_return 2;
}
constexpr int await_of_victim = __LINE__ + 2;
task<int> calls_victim() {
    const int n = co_await victim();
    co_return n;
}

task<int> safe() {
    const bool same = co_await three() == 3;
    if (!same) co_return 1;
    co_return 2;
}

}  // namespace

TEST_CASE("a coroutine that returns to its resumer from nowhere stops the program, saying what it may be") {
    const ending e = in_child([] {
        auto body = []() -> task<> {
            auto job = []() -> task<> { co_await rondo::sleep_for(std::chrono::hours(1)); };
            const auto h = rondo::spawn(job(), "victim");
            co_await this_job::yield();
            // A body that was dropped does what this does: nothing.
            rondo::detail::enter(rondo::detail::current_job(), std::noop_coroutine());
        };
        run(body());
        return true;
    });
    INFO(e.said);
    CHECK(e.aborted());
    CHECK(e.says("a coroutine returned without finishing or waiting"));
    CHECK(e.says("write `bool ok = co_await f();`"));
}

TEST_CASE("a body whose condition awaits either runs or stops the program with the place of the await") {
    const ending e = in_child([] { return run(calls_victim()) == 2; });
    INFO(e.said);
    if (e.aborted()) CHECK(e.says("awaited at dropped_body_test.cpp:" + std::to_string(await_of_victim)));
    else CHECK(e.succeeded());
}

TEST_CASE("spawned and run tasks whose body is dropped stop the program too") {
    const ending spawned = in_child([] {
        auto body = []() -> task<int> {
            const int n = co_await rondo::spawn(victim(), "victim").join();
            co_return n;
        };
        return run(body()) == 2;
    });
    INFO(spawned.said);
    CHECK((spawned.succeeded() || spawned.aborted()));
    const ending main = in_child([] { return run(victim()) == 2; });
    INFO(main.said);
    CHECK((main.succeeded() || main.aborted()));
}

TEST_CASE("the form that the message asks for runs under every compiler") { CHECK(run(safe()) == 2); }
