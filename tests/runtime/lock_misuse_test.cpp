// What only a mistake in the code can do with a lock stops the program. As in programmer_error_test.cpp, these checks
// are there unless NDEBUG is defined, so this program is not built for release stages.
#include <rondo/condition_variable.hpp>

#include <optional>
#include <string>
#include <thread>

#include <rondo/barrier.hpp>
#include <rondo/latch.hpp>
#include <rondo/mutex.hpp>
#include <rondo/run.hpp>
#include <rondo/semaphore.hpp>
#include <rondo/shared_mutex.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>

#include "support/catch.hpp"
#include "support/ending.hpp"

using rondo::mutex;
using rondo::run;
using rondo::task;
using rondo::testing_support::ending;
using rondo::testing_support::in_child;
namespace this_job = rondo::this_job;

namespace {

/// Runs `f`, which ends the program with this text if the check is there.
void stops(bool (*f)(), const std::string& text) {
    const ending e = in_child(f);
    INFO(e.said);
    CHECK(e.aborted());
    CHECK(e.says(text));
}

std::string here(int line) { return "lock_misuse_test.cpp:" + std::to_string(line) + ": "; }

constexpr int taken = __LINE__ + 3;
task<> destroys_mutex() {
    std::optional<mutex> m(std::in_place);
    auto held = co_await m->lock();
    auto locks = [](mutex& x) -> task<> { auto mine = co_await x.lock(); };
    auto waiter = rondo::spawn(locks(*m), "waiter");
    co_await this_job::yield();
    m.reset();
}

constexpr int empty_guard = __LINE__ + 6;
task<> waits_with_empty_guard() {
    mutex m;
    rondo::condition_variable c;
    auto held = co_await m.lock();
    held.unlock();
    co_await c.wait(held);
}

template <class Awaited, class Wait>
task<> waits(Awaited& x, Wait wait) {
    static_cast<void>(co_await wait(x));
}
/// Destroys an Awaited that somebody waits for.
template <class Awaited, class Wait, class... Args>
task<> destroys(Wait wait, Args... args) {
    std::optional<Awaited> x(std::in_place, args...);
    auto waiter = rondo::spawn(waits(*x, wait), "waiter");
    co_await this_job::yield();
    x.reset();
    co_await waiter.join();
}

}  // namespace

TEST_CASE("what jobs wait for stops the program when it is destroyed, and says where it was taken") {
    SECTION("a mutex") {
        stops(
            [] {
                run(destroys_mutex());
                return true;
            },
            here(taken) + "a mutex is destroyed while jobs wait for it");
    }
    SECTION("a semaphore") {
        stops(
            [] {
                run(destroys<rondo::semaphore>([](rondo::semaphore& s) { return s.acquire(); }, 0U, 1U));
                return true;
            },
            "a semaphore is destroyed while jobs wait for it");
    }
    SECTION("a latch") {
        stops(
            [] {
                run(destroys<rondo::latch>([](rondo::latch& l) { return l.wait(); }, 1U));
                return true;
            },
            "a latch is destroyed while jobs wait for it");
    }
    SECTION("a barrier") {
        stops(
            [] {
                run(destroys<rondo::barrier<>>([](rondo::barrier<>& b) { return b.arrive_and_wait(); }, 2U));
                return true;
            },
            "a barrier is destroyed while jobs wait at it");
    }
    SECTION("a condition_variable") {
        stops(
            [] {
                auto body = []() -> task<> {
                    mutex m;
                    std::optional<rondo::condition_variable> c(std::in_place);
                    auto wait = [&]() -> task<> {
                        auto held = co_await m.lock();
                        co_await c->wait(held);
                    };
                    auto waiter = rondo::spawn(wait(), "waiter");
                    co_await this_job::yield();
                    c.reset();
                    co_await waiter.join();
                };
                run(body());
                return true;
            },
            "a condition_variable is destroyed while jobs wait for it");
    }
}

TEST_CASE("a lock that is destroyed while it is held stops the program") {
    SECTION("a mutex") {
        stops(
            [] {
                auto body = []() -> task<> {
                    std::optional<mutex> m(std::in_place);
                    auto held = co_await m->lock();
                    m.reset();
                };
                run(body());
                return true;
            },
            "a mutex is destroyed while it is held");
    }
    SECTION("a shared_mutex") {
        stops(
            [] {
                auto body = []() -> task<> {
                    std::optional<rondo::shared_mutex> m(std::in_place);
                    auto held = co_await m->lock_shared();
                    m.reset();
                };
                run(body());
                return true;
            },
            "a shared_mutex is destroyed while it is held");
    }
}

TEST_CASE("a mutex that another thread unlocks or locks stops the program") {
    constexpr auto text = "a mutex is used on another thread than that of the jobs that hold it or wait for it";
    SECTION("unlocks") {
        stops(
            [] {
                auto body = []() -> task<> {
                    mutex m;
                    auto held = co_await m.lock();
                    std::thread([&] { held.unlock(); }).join();
                };
                run(body());
                return true;
            },
            text);
    }
    SECTION("locks in a run of its own") {
        stops(
            [] {
                auto body = []() -> task<> {
                    mutex m;
                    auto held = co_await m.lock();
                    auto locks = [](mutex& x) -> task<> { auto mine = co_await x.lock(); };
                    std::thread([&] { run(locks(m)); }).join();
                };
                run(body());
                return true;
            },
            text);
    }
}

TEST_CASE("a condition_variable that is awaited with an empty guard stops the program, which says where") {
    stops(
        [] {
            run(waits_with_empty_guard());
            return true;
        },
        here(empty_guard) + "a condition_variable is awaited with a guard that holds no mutex");
}

TEST_CASE("a guard that is used while a condition_variable is awaited with it stops the program") {
    stops(
        [] {
            auto body = []() -> task<> {
                mutex m;
                mutex other;
                rondo::condition_variable c;
                auto held = co_await m.lock();
                auto wait = [&]() -> task<> { co_await c.wait(held); };
                auto waiter = rondo::spawn(wait(), "waiter");
                co_await this_job::yield();
                held = co_await other.lock();
                c.notify_one();
                co_await waiter.join();
            };
            run(body());
            return true;
        },
        "the guard of a wait for a condition_variable was used meanwhile");
}

TEST_CASE("more arrivals than are expected stop the program") {
    SECTION("at a latch") {
        stops(
            [] {
                rondo::latch l(1);
                l.count_down(2);
                return true;
            },
            "a latch is counted down by more than is left");
    }
    SECTION("at a barrier that all have left") {
        stops(
            [] {
                rondo::barrier b(1);
                b.arrive_and_drop();
                b.arrive_and_drop();
                return true;
            },
            "more jobs leave a barrier than it expects");
    }
    SECTION("at a barrier for nobody") {
        stops(
            [] {
                auto body = []() -> task<> {
                    rondo::barrier b(0);
                    co_await b.arrive_and_wait();
                };
                run(body());
                return true;
            },
            "more jobs arrive at a barrier than it expects");
    }
}

TEST_CASE("locks that are used as they should be are no mistake") {
    const ending e = in_child([] {
        static mutex m;
        auto body = []() -> task<> {
            auto held = co_await m.lock();
            rondo::condition_variable c;
            auto wait = [&]() -> task<> {
                auto mine = co_await m.lock();
                co_await c.wait(mine);
            };
            auto waiter = rondo::spawn(wait(), "waiter");
            held.unlock();
            co_await this_job::yield();
            co_await this_job::yield();
            c.notify_all();
            co_await waiter.join();
        };
        run(body());
        std::thread([&] { run(body()); }).join();  // one context after another
        return !m.is_locked();
    });
    INFO(e.said);
    CHECK(e.succeeded());
    CHECK(e.said.empty());
}
