// The client against a server that a script plays: what goes over the wire, and what comes back.
#include <rondo/redis/client.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/spawn.hpp>
#include <rondo/when_all.hpp>

#include "client_jobs.hpp"
#include "part_of.hpp"
#include "script_server.hpp"
#include "support/catch.hpp"

namespace redis = rondo::redis;
using namespace redis_test;
using rondo::as_result;
using rondo::outcome;
using rondo::result;
using rondo::spawn;
using rondo::task;
using rondo::when_all;

TEST_CASE("replies have the type of their command") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto replies = spawn([](redis::client c) -> task<std::tuple<bool, bool, std::optional<int>, std::int64_t>> {
            const bool done = co_await c(redis::set("a", 1));
            const bool not_done = co_await c(redis::set("a", 2, redis::nx));
            const std::optional<int> a = co_await c(redis::get<int>("a"));
            const std::int64_t n = co_await c(redis::incr("a"));
            co_return std::tuple(done, not_done, a, n);
        }(db));
        co_await peer.expect(bytes_of(redis::set("a", 1)));
        co_await peer.send("+OK\r\n");
        co_await peer.expect(bytes_of(redis::set("a", 2, redis::nx)));
        co_await peer.send("_\r\n");
        co_await peer.expect(get_bytes("a"));
        co_await peer.send("$1\r\n1\r\n");
        co_await peer.expect(bytes_of(redis::incr("a")));
        co_await peer.send(":2\r\n");
        const auto got = co_await replies.join();
        CHECK(got == std::tuple(true, false, std::optional<int>(1), std::int64_t{2}));
    }());
}

TEST_CASE("a pipeline is one write and one typed tuple") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto all = spawn([](redis::client c) -> task<std::tuple<bool, std::optional<int>, std::monostate>> {
            co_return co_await c(redis::set("a", 1), redis::get<int>("a"), redis::command<void>("X"));
        }(db));
        co_await peer.expect(bytes_of(redis::set("a", 1)) + get_bytes("a") + bytes_of(redis::command<void>("X")));
        co_await peer.send("+OK\r\n$1\r\n1");
        co_await let_others_run();
        CHECK_FALSE(all.is_done());
        co_await peer.send("\r\n+anything\r\n");
        const auto got = co_await all.join();
        CHECK(got == std::tuple(true, std::optional<int>(1), std::monostate()));
    }());
}

TEST_CASE("the first failure of a pipeline is thrown after all its replies") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto all = spawn([](redis::client c) -> task<rondo::fault> {
            const auto r = co_await as_result(c(redis::incr("a"), redis::incr("b"), redis::incr("c")));
            co_return fault_of(r);
        }(db));
        co_await peer.send(":1\r\n-WRONGTYPE b is no number\r\n-ERR c\r\n");
        const rondo::fault f = co_await all.join();
        CHECK(f.text() == "INCR: server error: WRONGTYPE b is no number [refused]");
        co_await peer.expect(bytes_of(redis::incr("a")) + bytes_of(redis::incr("b")) + bytes_of(redis::incr("c")));
        co_await check_in_step(db, peer);
    }());
}

TEST_CASE("a server error and a reply that does not convert leave the connection in step") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto refused = spawn(try_get(db, "k"));
        co_await peer.expect(get_bytes("k"));
        co_await peer.send("-WRONGTYPE no\r\n");
        const result<text> r = co_await refused.join();
        CHECK(redis::server_code(fault_of(r)) == "WRONGTYPE");
        CHECK(fault_of(r).outcome() == outcome::refused);

        auto odd = spawn([](redis::client c) -> task<rondo::fault> {
            const result<std::optional<int>> n = co_await as_result(c(redis::get<int>("k")));
            co_return fault_of(n);
        }(db));
        co_await peer.expect(get_bytes("k"));
        co_await peer.send("$3\r\nabc\r\n");
        const rondo::fault f = co_await odd.join();
        CHECK(f.text() == "GET: reply does not convert: wanted integer, got string \"abc\"");
        co_await check_in_step(db, peer);
    }());
}

TEST_CASE("a server error is thrown as rondo::error") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto job = spawn(get(db, "k"));
        co_await peer.send("-ERR no\r\n");
        std::string what;
        try {
            co_await job.join();
        } catch (const rondo::error& e) {
            what = e.what();
        }
        CHECK(what == "GET: server error: ERR no [refused]");
    }());
}

TEST_CASE("a reply may come in pieces of any size") {
    const std::size_t size = GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7});
    run_test([](std::size_t piece) -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        std::vector<rondo::join_handle<text>> jobs;
        std::string replies;
        for (int i = 0; i < 5; ++i) {
            jobs.push_back(spawn(get(db, std::to_string(i))));
            replies += bulk("value\r\n" + std::to_string(i));
        }
        co_await peer.send_in_pieces(replies, piece);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const text t = co_await jobs[i].join();
            CHECK(t == "value\r\n" + std::to_string(i));
        }
    }(size));
}

TEST_CASE("commands of many jobs share the connection and each gets its own reply") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        std::vector<rondo::join_handle<text>> jobs;
        std::string commands, replies;
        for (int i = 0; i < 300; ++i) {
            const std::string key = "key" + std::to_string(i);
            jobs.push_back(spawn(get(db, key)));
            commands += get_bytes(key);
            replies += bulk(key);
        }
        co_await peer.expect(commands);
        co_await peer.send(replies);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const text t = co_await jobs[i].join();
            CHECK(t == "key" + std::to_string(i));
        }
    }());
}

TEST_CASE("operations are awaited by combinators without a task around them") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto both = spawn([](redis::client c) -> task<std::tuple<text, std::int64_t>> {
            co_return co_await when_all(c(redis::get("a")), c(redis::incr("n")));
        }(db));
        co_await peer.expect(get_bytes("a") + bytes_of(redis::incr("n")));
        co_await peer.send("$1\r\nx\r\n:5\r\n");
        const auto got = co_await both.join();
        CHECK(got == std::tuple(text("x"), std::int64_t{5}));

        auto failing = spawn([](redis::client c) -> task<std::string> {
            try {
                co_await when_all(c(redis::get("a")), c(redis::incr("n")));
            } catch (const rondo::error& e) {
                co_return e.what();
            }
            co_return "";
        }(db));
        co_await peer.expect(get_bytes("a") + bytes_of(redis::incr("n")));
        co_await peer.send("-ERR first\r\n");
        const std::string what = co_await failing.join();
        CHECK(what == "GET: server error: ERR first [refused]");
        co_await peer.send(":6\r\n");
        co_await check_in_step(db, peer);
    }());
}

TEST_CASE("pushes and attributes between replies answer nobody") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto a = spawn(get(db, "a"));
        auto b = spawn(get(db, "b"));
        co_await peer.expect(get_bytes("a") + get_bytes("b"));
        co_await peer.send_in_pieces(
            ">2\r\n+message\r\n+m\r\n|1\r\n+ttl\r\n:5\r\n$1\r\n1\r\n>2\r\n$10\r\ninvalidate\r\n_\r\n$1\r\n2\r\n"
            ">2\r\n+message\r\n+n\r\n",
            5);
        const text first = co_await a.join();
        const text second = co_await b.join();
        CHECK(first == "1");
        CHECK(second == "2");
        co_await check_in_step(db, peer);
    }());
}

TEST_CASE("beyond the bound on waiting commands the next one fails at once and was not sent") {
    run_test([]() -> task<void> {
        script_server server;
        const auto two = redis::options(server.url()).max_waiting(2);
        auto [db, peer] = co_await when_all(redis::connect(two), server.welcome());
        auto a = spawn(get(db, "a"));
        auto b = spawn(get(db, "b"));
        co_await peer.expect(get_bytes("a") + get_bytes("b"));
        const result<text> c = co_await try_get(db, "c");
        CHECK(fault_of(c).text() == "GET: command queue is full: 2 commands are waiting [not_sent]");
        a.cancel();  // its reply is still owed
        co_await let_others_run();
        const result<text> d = co_await try_get(db, "d");
        CHECK(fault_of(d).code() == redis::errc::queue_full);
        co_await peer.send("$1\r\na\r\n$1\r\nb\r\n");
        const text tb = co_await b.join();
        CHECK(tb == "b");
        co_await check_in_step(db, peer);
    }());
}

TEST_CASE("beyond the bound on unsent bytes the next command fails at once, but one alone is always taken") {
    run_test([]() -> task<void> {
        script_server server;
        const auto small = redis::options(server.url()).max_unsent_bytes(100);
        auto [db, peer] = co_await when_all(redis::connect(small), server.welcome());
        const std::string key(200, 'k');
        auto a = spawn(get(db, key));
        auto b = spawn(try_get(db, "b"));
        const result<text> rb = co_await b.join();
        CHECK_PART(fault_of(rb).text(), "bytes are waiting to be sent [not_sent]");
        co_await peer.expect(get_bytes(key));
        co_await peer.send("$1\r\na\r\n");
        const text ta = co_await a.join();
        CHECK(ta == "a");
    }());
}

TEST_CASE("the connection closes with the last handle") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        redis::client copy = db;
        db = redis::client();
        co_await check_in_step(copy, peer);
        copy = redis::client();
        co_await peer.expect_end();
    }());
}

TEST_CASE("a command in flight keeps the client alive") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto op = db(redis::get("k"));
        db = redis::client();
        auto job = spawn([](decltype(op) o) -> task<text> { co_return co_await std::move(o); }(std::move(op)));
        co_await peer.expect(get_bytes("k"));
        co_await peer.send("$1\r\nv\r\n");
        const text t = co_await job.join();
        CHECK(t == "v");
        job.detach();  // the job's coroutine holds the operation, and that the client
        co_await peer.expect_end();
    }());
}

TEST_CASE("a client that was never connected says so") {
    run_test([]() -> task<void> {
        const redis::client none;
        CHECK_FALSE(none);
        const result<text> r = co_await as_result(none(redis::get("k")));
        CHECK_PART(fault_of(r).text(), "a redis client that was never connected");
    }());
}

TEST_CASE("a run may end while commands are in flight") {
    bool reached = false;
    rondo::run([](bool& end) -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        spawn(get(db, "never answered")).detach();
        spawn(try_blpop(db, "never answered")).detach();
        script_peer lane = co_await server.welcome();
        end = true;
    }(reached));
    CHECK(reached);
}
