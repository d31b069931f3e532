// What becomes of commands when the connection or the server fails.
#include <rondo/redis/client.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <system_error>

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

TEST_CASE("a connection cut at any byte of a reply fails the command and the next one connects again") {
    const std::string reply = "$3\r\nabc\r\n";
    for (std::size_t cut = 0; cut < reply.size(); ++cut) {
        run_test([](std::string sent) -> task<void> {
            script_server server;
            auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
            auto job = spawn(try_get(db, "k"));
            co_await peer.expect(get_bytes("k"));
            co_await peer.send(sent);
            peer.close();
            const result<text> r = co_await job.join();
            CHECK(fault_of(r).text() ==
                  "GET " + server.address() + ": connection lost: the server closed the connection [maybe_executed]");
            CHECK(fault_of(r).code() == redis::errc::connection_lost);

            auto next = spawn(get(db, "k"));
            script_peer again = co_await server.welcome();
            co_await again.expect(get_bytes("k"));
            co_await again.send("$3\r\nnew\r\n");
            const text t = co_await next.join();
            CHECK(t == "new");
        }(reply.substr(0, cut)));
    }
}

TEST_CASE("when the server cannot be reached again commands are not sent") {
    run_test([]() -> task<void> {
        auto server = std::make_unique<script_server>();
        auto [db, peer] = co_await when_all(redis::connect(server->url()), server->welcome());
        server.reset();
        peer.close();
        co_await let_others_run();
        // The first may meet the old connection before its end is seen.
        result<text> r = co_await try_get(db, "k");
        if (fault_of(r).code() == redis::errc::connection_lost) r = co_await try_get(db, "k");
        CHECK(fault_of(r).code() == std::errc::connection_refused);
        CHECK(fault_of(r).outcome() == outcome::not_sent);
    }());
}

TEST_CASE("commands that came while connecting fail or go with the connection") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        peer.close();
        const result<text> lost = co_await try_get(db, "k");
        CHECK(fault_of(lost).code() == redis::errc::connection_lost);

        auto a = spawn(try_get(db, "a"));
        auto b = spawn(try_get(db, "b"));
        script_peer refusing = co_await server.accept();
        co_await refusing.send("-ERR loading\r\n");
        const result<text> ra = co_await a.join();
        const result<text> rb = co_await b.join();
        CHECK(fault_of(ra).text() == "connect " + server.address() + ": server error: ERR loading [not_sent]");
        CHECK(fault_of(rb).outcome() == outcome::not_sent);

        auto c = spawn(get(db, "c"));
        auto d = spawn(get(db, "d"));
        script_peer good = co_await server.welcome();
        co_await good.expect(get_bytes("c") + get_bytes("d"));
        co_await good.send("$1\r\nc\r\n$1\r\nd\r\n");
        const text tc = co_await c.join();
        const text td = co_await d.join();
        CHECK(tc == "c");
        CHECK(td == "d");
    }());
}

TEST_CASE("a reply of a forbidden kind closes the connection before anybody gets it") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        auto a = spawn(try_get(db, "a"));
        auto b = spawn(try_get(db, "b"));
        co_await peer.expect(get_bytes("a") + get_bytes("b"));
        co_await peer.send("+OK\r\n$1\r\na\r\n");
        const result<text> ra = co_await a.join();
        const result<text> rb = co_await b.join();
        CHECK(fault_of(ra).text() ==
              "GET " + server.address() + ": protocol error: GET cannot be answered with status +OK [maybe_executed]");
        CHECK(fault_of(rb).code() == redis::errc::protocol);
        CHECK(fault_of(rb).outcome() == outcome::maybe_executed);
        co_await peer.expect_end();
    }());
}

TEST_CASE("malformed bytes and replies over a limit close the connection") {
    struct row {
        const char* bytes;
        const char* text;
    };
    for (const row& r : {row{"?\r\n", "protocol error: byte 42: unexpected \"?\""},
                         row{"$5\r\nhelloXY", "protocol error: byte 51: a string longer than its length"},
                         row{"*4294967295\r\n", "reply over a limit: byte 42: '*' announces more than the limit"},
                         row{"$2000\r\n", "reply over a limit: byte 42: a string of 2000 bytes"}}) {
        run_test([](std::string bytes, std::string expected) -> task<void> {
            script_server server;
            const auto limited = redis::options(server.url()).limits(redis::parser_limits().reply_bytes(1000));
            auto [db, peer] = co_await when_all(redis::connect(limited), server.welcome());
            auto job = spawn(try_get(db, "k"));
            co_await peer.expect(get_bytes("k"));
            co_await peer.send(bytes);
            const result<text> got = co_await job.join();
            CHECK_PART(fault_of(got).text(), "GET " + server.address() + ": " + expected);
            CHECK(fault_of(got).outcome() == outcome::maybe_executed);
            co_await peer.expect_end();
        }(r.bytes, r.text));
    }
}

TEST_CASE("a reply that nobody asked for closes the connection") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        co_await peer.send("+OK\r\n");
        co_await peer.expect_end();
        auto next = spawn(get(db, "k"));
        script_peer again = co_await server.welcome();
        co_await again.expect(get_bytes("k"));
        co_await again.send("$1\r\nv\r\n");
        const text t = co_await next.join();
        CHECK(t == "v");
    }());
}

TEST_CASE("after a reset each command has one outcome and nothing is sent again") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        // More than the socket buffers take: the write of the first is under way when the second is queued.
        auto large = spawn([](redis::client c) -> task<rondo::fault> {
            const std::string megabytes(32 << 20, 'x');
            const auto r = co_await as_result(c(redis::set("large", megabytes)));
            co_return fault_of(r);
        }(db));
        co_await let_others_run();
        auto small = spawn(try_get(db, "small"));
        co_await peer.expect("*3\r\n$3\r\nSET\r\n$5\r\nlarge\r\n");
        peer.reset();
        const rondo::fault f = co_await large.join();
        CHECK(f.code() == redis::errc::connection_lost);
        CHECK(f.outcome() == outcome::maybe_executed);
        const result<text> r = co_await small.join();
        CHECK(fault_of(r).code() == redis::errc::connection_lost);
        CHECK(fault_of(r).outcome() == outcome::not_sent);

        auto next = spawn(get(db, "k"));
        script_peer again = co_await server.welcome();
        co_await again.expect(get_bytes("k"));
        co_await again.send("$1\r\nv\r\n");
        const text t = co_await next.join();
        CHECK(t == "v");
        co_await check_in_step(db, again);
    }());
}

TEST_CASE("replies are read while writes are blocked") {
    run_test([]() -> task<void> {
        script_server server;
        auto [db, peer] = co_await when_all(redis::connect(server.url()), server.welcome());
        const std::string value(16 << 20, 'v');
        auto all = spawn([](redis::client c, std::string v) -> task<bool> {
            auto [got, done] = co_await when_all(c(redis::get("k")), c(redis::set("k", v)));
            co_return done&& got == v;
        }(db, value));
        co_await peer.expect(get_bytes("k"));
        // This server reads on only when all of its reply is written, which needs a client that reads.
        co_await peer.send(bulk(value));
        co_await peer.expect(bytes_of(redis::set("k", value)));
        co_await peer.send("+OK\r\n");
        const bool good = co_await all.join();
        CHECK(good);
    }());
}
