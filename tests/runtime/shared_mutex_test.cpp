#include <rondo/shared_mutex.hpp>

#include <string>
#include <utility>

#include <rondo/as_result.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::run;
using rondo::shared_mutex;
using rondo::task;
namespace this_job = rondo::this_job;

namespace {

task<> reads(shared_mutex& m, std::string& log, char c) {
    auto held = co_await m.lock_shared();
    log += c;
    co_await this_job::yield();
    log += c;
}
task<> writes(shared_mutex& m, std::string& log, char c) {
    auto held = co_await m.lock();
    log += c;
    co_await this_job::yield();
    log += c;
}

}  // namespace

TEST_CASE("readers share a shared_mutex, writers have it alone") {
    std::string log;
    auto body = [&]() -> task<> {
        shared_mutex m;
        co_await rondo::when_all(reads(m, log, 'a'), reads(m, log, 'b'), writes(m, log, 'W'), writes(m, log, 'X'));
        CHECK(m.readers() == 0);
        CHECK_FALSE(m.is_locked());
    };
    run(body());
    CHECK(log == "ababWWXX");
}

TEST_CASE("a reader that comes while a writer waits is behind it, and neighbours in line go together") {
    std::string log;
    auto body = [&]() -> task<> {
        shared_mutex m;
        auto first = co_await m.lock_shared();
        auto w = rondo::spawn(writes(m, log, 'W'), "writer");
        auto a = rondo::spawn(reads(m, log, 'a'), "a");
        auto b = rondo::spawn(reads(m, log, 'b'), "b");
        co_await this_job::yield();
        CHECK(log.empty());
        CHECK(m.readers() == 1);
        CHECK_FALSE(m.try_lock_shared().owns_lock());
        CHECK_FALSE(m.try_lock().owns_lock());
        first.unlock();
        CHECK(m.is_locked());
        co_await w.join();
        co_await a.join();
        co_await b.join();
    };
    run(body());
    CHECK(log == "WWabab");
}

TEST_CASE("a waiting writer that is cancelled lets the readers behind it go") {
    std::string log;
    auto body = [&]() -> task<> {
        shared_mutex m;
        auto first = co_await m.lock_shared();
        auto w = rondo::spawn(writes(m, log, 'W'), "writer");
        auto a = rondo::spawn(reads(m, log, 'a'), "a");
        auto b = rondo::spawn(reads(m, log, 'b'), "b");
        auto x = rondo::spawn(writes(m, log, 'X'), "second writer");
        co_await this_job::yield();
        w.cancel();
        CHECK(m.readers() == 3);
        co_await a.join();
        co_await b.join();
        CHECK(log == "abab");
        first.unlock();
        co_await x.join();
        const auto r = co_await rondo::as_result(w.join());
        CHECK(r.error() == errc::cancelled);
    };
    run(body());
    CHECK(log == "ababXX");
}

TEST_CASE("whom the cancel of a whole tree ends is not granted on the way") {
    std::string log;
    auto body = [&]() -> task<> {
        shared_mutex m;
        auto first = co_await m.lock_shared();
        auto all = [&]() -> task<> {
            co_await rondo::when_all(writes(m, log, 'W'), reads(m, log, 'a'), writes(m, log, 'X'), reads(m, log, 'b'));
        };
        auto tree = rondo::spawn(all(), "tree");
        co_await this_job::yield();
        auto c = rondo::spawn(reads(m, log, 'c'), "c");
        co_await this_job::yield();
        tree.cancel();
        CHECK(m.readers() == 2);  // first and c
        co_await c.join();
        const auto r = co_await rondo::as_result(tree.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(m.readers() == 1);
    };
    run(body());
    CHECK(log == "cc");
}

TEST_CASE("try_lock and try_lock_shared never wait, and their guards move") {
    auto body = []() -> task<> {
        shared_mutex m;
        {
            auto writing = m.try_lock();
            CHECK(static_cast<bool>(writing));
            CHECK(m.is_locked());
            CHECK(m.readers() == 0);
            CHECK_FALSE(m.try_lock_shared().owns_lock());
            CHECK_FALSE(m.try_lock().owns_lock());
            auto moved = std::move(writing);
            CHECK(m.is_locked());
            moved.unlock();
        }
        auto a = m.try_lock_shared();
        auto b = m.try_lock_shared();
        CHECK(m.readers() == 2);
        CHECK_FALSE(m.try_lock().owns_lock());
        a = std::move(b);
        CHECK(m.readers() == 1);
        a.unlock();
        CHECK(m.try_lock().owns_lock());
        co_return;
    };
    run(body());
}
