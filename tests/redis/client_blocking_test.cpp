// Blocking commands have connections of their own.
#include <rondo/redis/client.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rondo/as_completed.hpp>
#include <rondo/spawn.hpp>
#include <rondo/when_all.hpp>

#include "client_jobs.hpp"
#include "script_server.hpp"
#include "support/catch.hpp"

namespace redis = rondo::redis;
using namespace redis_test;
using rondo::outcome;
using rondo::result;
using rondo::spawn;
using rondo::task;
using rondo::when_all;

TEST_CASE("a blocking command has a connection of its own, and leaves it to the next one") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto first = spawn(try_blpop(db, "jobs"));
        script_peer lane = co_await server.welcome();
        co_await lane.expect("*3\r\n$5\r\nBLPOP\r\n$4\r\njobs\r\n$1\r\n0\r\n");
        co_await check_in_step(db, peer);  // nobody else waits for it
        co_await lane.send("*2\r\n$4\r\njobs\r\n$1\r\nx\r\n");
        const result<redis::popped> popped = co_await first.join();
        CHECK(popped.value() == std::pair<std::string, std::string>("jobs", "x"));

        auto second = spawn(try_blpop(db, "other"));
        co_await lane.expect("*3\r\n$5\r\nBLPOP\r\n$5\r\nother\r\n$1\r\n0\r\n");
        co_await lane.send("-WRONGTYPE no list\r\n");
        const result<redis::popped> refused = co_await second.join();
        CHECK(redis::server_code(fault_of(refused)) == "WRONGTYPE");

        auto third = spawn(try_blpop(db, "jobs"));
        co_await lane.expect("*3\r\n$5\r\nBLPOP\r\n$4\r\njobs\r\n$1\r\n0\r\n");
        co_await lane.send("*-1\r\n");
        const result<redis::popped> timed_out = co_await third.join();
        CHECK(timed_out.value() == std::nullopt);
    }());
}

TEST_CASE("blocking commands at the same time have a connection each") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto a = spawn(try_blpop(db, "a"));
        script_peer lane_a = co_await server.welcome();
        auto b = spawn(try_blpop(db, "b"));
        script_peer lane_b = co_await server.welcome();
        co_await lane_b.send("*2\r\n$1\r\nb\r\n$1\r\n2\r\n");
        const result<redis::popped> rb = co_await b.join();
        CHECK(rb.value() == std::pair<std::string, std::string>("b", "2"));
        CHECK_FALSE(a.is_done());
        co_await lane_a.send("*2\r\n$1\r\na\r\n$1\r\n1\r\n");
        const result<redis::popped> ra = co_await a.join();
        CHECK(ra.value() == std::pair<std::string, std::string>("a", "1"));
    }());
}

TEST_CASE("ten blocking commands settle in the order in which they are answered") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        std::vector<task<result<redis::popped>>> waits;
        for (int i = 0; i < 10; ++i) waits.push_back(try_blpop(db, std::to_string(i)));
        auto settled = rondo::as_completed(std::move(waits));
        std::vector<script_peer> lanes;
        for (int i = 0; i < 10; ++i) lanes.push_back(co_await server.welcome());
        std::vector<std::pair<std::string, std::size_t>> keys;  // which lane waits for which key
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            std::string key = co_await lanes[i].next_argument(1);
            keys.emplace_back(std::move(key), i);
        }
        std::sort(keys.begin(), keys.end());
        for (std::size_t k = keys.size(); k-- > 0;) {
            co_await lanes[keys[k].second].send("*-1\r\n");
            const auto one = co_await settled.next();
            CHECK(one->first == k);
            CHECK(one->second.value().value() == std::nullopt);
        }
    }());
}

TEST_CASE("cancelling a blocking command closes its connection and no other") {
    const bool before_it_is_sent = GENERATE(false, true);
    run_test([](bool early) -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto blocked = spawn(try_blpop(db, "jobs"));
        script_peer lane = co_await server.accept();
        co_await lane.expect(std::string(hello));
        if (!early) {
            co_await lane.send(std::string(hello_reply));
            co_await lane.expect("*3\r\n$5\r\nBLPOP\r\n$4\r\njobs\r\n$1\r\n0\r\n");
        }
        blocked.cancel();
        co_await lane.expect_end();
        co_await check_in_step(db, peer);

        auto again = spawn(try_blpop(db, "jobs"));
        script_peer fresh = co_await server.welcome();
        co_await fresh.send("*2\r\n$4\r\njobs\r\n$1\r\nx\r\n");
        const result<redis::popped> r = co_await again.join();
        CHECK(r.has_value());
    }(before_it_is_sent));
}

TEST_CASE("a blocking command whose connection is lost may have been executed") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto blocked = spawn(try_blpop(db, "jobs"));
        {
            script_peer lane = co_await server.welcome();
            co_await lane.expect("*3\r\n$5\r\nBLPOP\r\n$4\r\njobs\r\n$1\r\n0\r\n");
        }
        const result<redis::popped> r = co_await blocked.join();
        CHECK(fault_of(r).code() == redis::errc::connection_lost);
        CHECK(fault_of(r).outcome() == outcome::maybe_executed);
        co_await check_in_step(db, peer);
    }());
}

TEST_CASE("an idle blocking connection that the server has closed is not used again") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto first = spawn(try_blpop(db, "jobs"));
        {
            script_peer lane = co_await server.welcome();
            co_await lane.expect("*3\r\n$5\r\nBLPOP\r\n$4\r\njobs\r\n$1\r\n0\r\n");
            co_await lane.send("*-1\r\n");
            const result<redis::popped> r = co_await first.join();
            CHECK(r.has_value());
            co_await lane.send("+unasked\r\n");  // the client hangs up, so that both sides know of the end
            co_await lane.expect_end();
        }
        auto second = spawn(try_blpop(db, "jobs"));
        script_peer fresh = co_await server.welcome();
        co_await fresh.expect("*3\r\n$5\r\nBLPOP\r\n$4\r\njobs\r\n$1\r\n0\r\n");
        co_await fresh.send("*-1\r\n");
        const result<redis::popped> r = co_await second.join();
        CHECK(r.has_value());
    }());
}

TEST_CASE("blocking commands are bounded, and idle connections beyond the bound are closed") {
    run_test([]() -> task<void> {
        script_server server;
        const auto bounded = redis::options(server.url()).max_blocking(2).max_idle_blocking(1);
        auto [db, peer] = co_await when_all(redis::connect(bounded), server.welcome());
        auto a = spawn(try_blpop(db, "a"));
        script_peer lane_a = co_await server.welcome();
        auto b = spawn(try_blpop(db, "b"));
        script_peer lane_b = co_await server.welcome();
        const result<redis::popped> c = co_await try_blpop(db, "c");
        CHECK(fault_of(c).text() == "BLPOP: command queue is full: 2 blocking commands are waiting [not_sent]");
        co_await lane_a.send("*-1\r\n");
        co_await lane_a.expect("*3\r\n$5\r\nBLPOP\r\n$1\r\na\r\n$1\r\n0\r\n");
        const result<redis::popped> ra = co_await a.join();
        co_await lane_b.send("*-1\r\n");
        co_await lane_b.expect("*3\r\n$5\r\nBLPOP\r\n$1\r\nb\r\n$1\r\n0\r\n");
        const result<redis::popped> rb = co_await b.join();
        CHECK(ra.has_value());
        CHECK(rb.has_value());
        co_await lane_b.expect_end();
        auto d = spawn(try_blpop(db, "d"));
        co_await lane_a.expect("*3\r\n$5\r\nBLPOP\r\n$1\r\nd\r\n$1\r\n0\r\n");
        co_await lane_a.send("*-1\r\n");
        const result<redis::popped> rd = co_await d.join();
        CHECK(rd.has_value());
    }());
}

TEST_CASE("idle blocking connections close with the last handle") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto job = spawn(try_blpop(db, "a"));
        script_peer lane = co_await server.welcome();
        co_await lane.expect("*3\r\n$5\r\nBLPOP\r\n$1\r\na\r\n$1\r\n0\r\n");
        co_await lane.send("*-1\r\n");
        const result<redis::popped> r = co_await job.join();
        CHECK(r.has_value());
        job.detach();  // its coroutine has a handle too
        db = redis::client();
        co_await lane.expect_end();
        co_await peer.expect_end();
    }());
}
