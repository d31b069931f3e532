// A cancelled command: never sent, or its reply thrown away.
#include <rondo/redis/client.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "client_jobs.hpp"
#include "script_server.hpp"
#include "support/catch.hpp"

namespace redis = rondo::redis;
using namespace redis_test;
using namespace std::chrono_literals;
using rondo::as_result;
using rondo::result;
using rondo::spawn;
using rondo::task;
using rondo::when_all;

TEST_CASE("a command cancelled before it is written never goes out") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto a = spawn(get(db, "a"));
        auto b = spawn(get(db, "b"));
        auto c = spawn(get(db, "c"));
        co_await rondo::this_job::yield();  // all three are queued; the writer's turn is next
        b.cancel();
        co_await peer.expect(get_bytes("a") + get_bytes("c"));
        co_await peer.send("$1\r\na\r\n$1\r\nc\r\n");
        const text ta = co_await a.join();
        const text tc = co_await c.join();
        const result<text> rb = co_await as_result(b.join());
        CHECK(ta == "a");
        CHECK(tc == "c");
        CHECK(fault_of(rb).code() == rondo::errc::cancelled);
        co_await check_in_step(db, peer);
    }());
}

TEST_CASE("the reply of a cancelled command is thrown away and the next one gets its own") {
    const std::size_t sent_before = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{6});
    run_test([](std::size_t before) -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        const std::string reply = "$3\r\nfoo\r\n";
        auto foo = spawn(get(db, "foo"));
        co_await peer.expect(get_bytes("foo"));
        co_await peer.send(reply.substr(0, before));
        co_await let_others_run();
        foo.cancel();
        auto bar = spawn(get(db, "bar"));
        co_await peer.expect(get_bytes("bar"));
        co_await peer.send(reply.substr(before) + "$3\r\nbar\r\n");
        const text t = co_await bar.join();
        CHECK(t == "bar");
        co_await check_in_step(db, peer);
    }(sent_before));
}

TEST_CASE("a command that timed out leaves a tombstone too") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        const auto late = co_await as_result(rondo::with_timeout(1ms, db(redis::get("key1"))));
        CHECK(fault_of(late).code() == rondo::errc::timed_out);
        co_await peer.expect(get_bytes("key1"));
        auto second = spawn(get(db, "key2"));
        co_await peer.expect(get_bytes("key2"));
        co_await peer.send("$2\r\nv1\r\n$2\r\nv2\r\n");
        const text t = co_await second.join();
        CHECK(t == "v2");
    }());
}

TEST_CASE("a pipeline cancelled between its replies leaves only the missing ones as tombstones") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto three = spawn(
            [](redis::client c) -> task<void> { co_await c(redis::get("1"), redis::get("2"), redis::get("3")); }(db));
        auto after = spawn(get(db, "4"));
        co_await peer.expect(get_bytes("1") + get_bytes("2") + get_bytes("3") + get_bytes("4"));
        co_await peer.send("$1\r\n1\r\n");
        co_await let_others_run();
        three.cancel();
        co_await peer.send("$1\r\n2\r\n$1\r\n3\r\n$1\r\n4\r\n");
        const text t = co_await after.join();
        CHECK(t == "4");
        co_await check_in_step(db, peer);
    }());
}

TEST_CASE("whatever is cancelled, every other command gets its own reply") {
    const unsigned seed = GENERATE(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U);
    run_test([](unsigned state) -> task<void> {
        const auto random = [&state](unsigned below) {
            state = state * 1664525U + 1013904223U;
            return (state >> 16) % below;
        };
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        // The server answers every GET it reads with the key.
        auto serving = spawn([](script_peer p, unsigned s) -> task<void> {
            for (;;) {
                const std::string key = co_await p.next_argument(1);
                if (key.empty()) co_return;
                s = s * 1664525U + 1013904223U;
                co_await p.send_in_pieces(bulk(key), 1 + (s >> 16) % 9);
            }
        }(std::move(peer), state));
        std::vector<std::pair<std::string, rondo::join_handle<text>>> jobs;
        std::size_t answered = 0;
        for (int i = 0; i < 300; ++i) {
            const std::string key = "k" + std::to_string(i);
            jobs.emplace_back(key, spawn(get(db, key)));
            if (random(3) == 0) jobs[random(static_cast<unsigned>(jobs.size()))].second.cancel();
            if (random(4) == 0) co_await rondo::this_job::yield();
            if (random(20) == 0) co_await let_others_run();
        }
        for (auto& [key, job] : jobs) {
            const result<text> r = co_await as_result(job.join());
            if (r) ++answered;
            if (r) CHECK(*r == key);
            else CHECK(fault_of(r).code() == rondo::errc::cancelled);
        }
        CHECK(answered > 100);
        CHECK(answered < 300);
        jobs.clear();  // their coroutines have a handle each
        db = redis::client();
        co_await serving.join();
    }(seed));
}
