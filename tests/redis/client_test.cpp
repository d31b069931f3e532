// The client against a server that a script plays: what goes over the wire, and what becomes of faults.
#include <rondo/redis/client.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/race.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>

#include "part_of.hpp"
#include "script_server.hpp"
#include "support/catch.hpp"

namespace redis = rondo::redis;
using namespace std::chrono_literals;
using redis_test::bytes_of;
using redis_test::fault_of;
using redis_test::hello;
using redis_test::hello_reply;
using redis_test::run_test;
using redis_test::script_peer;
using redis_test::script_server;
using rondo::as_result;
using rondo::outcome;
using rondo::result;
using rondo::spawn;
using rondo::task;
using rondo::when_all;

namespace {

using text = std::optional<std::string>;

task<text> get(redis::client db, std::string key) { co_return co_await db(redis::get(key)); }
task<result<text>> try_get(redis::client db, std::string key) {
    co_return co_await as_result(db(redis::get(key)));
}
task<result<redis::popped>> try_blpop(redis::client db, std::string key) {
    co_return co_await as_result(db(redis::blpop(key, redis::forever)));
}
task<result<redis::client>> try_connect(redis::options o) { co_return co_await as_result(redis::connect(o)); }

std::string get_bytes(const std::string& key) { return bytes_of(redis::get(key)); }
std::string bulk(const std::string& s) { return "$" + std::to_string(s.size()) + "\r\n" + s + "\r\n"; }

// Every job that is ready has its turn, and what it wrote is on its way.
task<void> let_others_run() {
    for (int i = 0; i < 10; ++i) co_await rondo::this_job::yield();
}

// The connection is in step: an echo comes back as itself.
task<void> check_in_step(redis::client db, script_peer& peer) {
    auto echo = spawn(get(db, "echo"));
    co_await peer.expect(get_bytes("echo"));
    co_await peer.send("$4\r\nstep\r\n");
    const text answer = co_await echo.join();
    CHECK(answer == "step");
}

}  // namespace

TEST_CASE("connecting greets the server in one write") {
    run_test([]() -> task<void> {
        script_server server;
        auto connecting = spawn(try_connect(redis::options(server.url("/5")).user("app").password("s3")));
        script_peer peer = co_await server.accept();
        co_await peer.expect("*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$3\r\napp\r\n$2\r\ns3\r\n"
                             "*2\r\n$6\r\nSELECT\r\n$1\r\n5\r\n");
        co_await let_others_run();
        CHECK_FALSE(connecting.is_done());
        co_await peer.send(std::string(hello_reply) + "+OK\r\n");
        const result<redis::client> db = co_await connecting.join();
        CHECK(db.has_value());
        co_await check_in_step(db.value(), peer);
    }());
}

TEST_CASE("a password without a user is that of the default user") {
    run_test([]() -> task<void> {
        script_server server;
        auto connecting = spawn(try_connect(redis::options(server.url()).password("s3")));
        script_peer peer = co_await server.accept();
        co_await peer.expect("*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n$2\r\ns3\r\n");
        co_await peer.send(std::string(hello_reply));
        const result<redis::client> db = co_await connecting.join();
        CHECK(db.has_value());
    }());
}

TEST_CASE("a server that knows no HELLO is greeted the old way") {
    for (const char* refusal : {"-ERR unknown command `HELLO`, with args beginning with: `3`, \r\n",
                                "-ERR unknown command 'hello'\r\n", "-NOPROTO sorry\r\n"}) {
        run_test([](std::string refused) -> task<void> {
            script_server server;
            auto connecting = spawn(try_connect(redis::options(server.url("/5")).password("s3")));
            script_peer peer = co_await server.accept();
            co_await peer.expect("*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n$2\r\ns3\r\n"
                                 "*2\r\n$6\r\nSELECT\r\n$1\r\n5\r\n");
            co_await peer.send(refused + "-NOAUTH Authentication required.\r\n");
            co_await peer.expect("*2\r\n$4\r\nAUTH\r\n$2\r\ns3\r\n");  // alone in its round
            co_await peer.send("+OK\r\n");
            co_await peer.expect("*2\r\n$6\r\nSELECT\r\n$1\r\n5\r\n");
            co_await peer.send("+OK\r\n");
            const result<redis::client> db = co_await connecting.join();
            CHECK(db.has_value());
            co_await check_in_step(db.value(), peer);
        }(refusal));
    }
}

TEST_CASE("a server that hangs up on HELLO is tried once more without") {
    run_test([]() -> task<void> {
        script_server server;
        auto connecting = spawn(try_connect(server.url()));
        {
            script_peer first = co_await server.accept();
            co_await first.expect(std::string(hello));
        }
        script_peer second = co_await server.accept();
        co_await second.expect("*1\r\n$4\r\nPING\r\n");
        co_await second.send("+PONG\r\n");
        const result<redis::client> db = co_await connecting.join();
        CHECK(db.has_value());
        co_await check_in_step(db.value(), second);
    }());
}

TEST_CASE("protocol 2 never says HELLO") {
    run_test([]() -> task<void> {
        script_server server;
        auto connecting = spawn(try_connect(redis::options(server.url()).user("u").password("p").protocol(2)));
        script_peer peer = co_await server.accept();
        co_await peer.expect("*3\r\n$4\r\nAUTH\r\n$1\r\nu\r\n$1\r\np\r\n");
        co_await peer.send("+OK\r\n");
        co_await peer.expect("*1\r\n$4\r\nPING\r\n");
        co_await peer.send("+PONG\r\n");
        const result<redis::client> db = co_await connecting.join();
        CHECK(db.has_value());
    }());
}

TEST_CASE("a refused greeting is the connect error, in the server's words") {
    struct row {
        const char* reply;
        const char* text;
    };
    for (const row& r : {row{"-WRONGPASS invalid username-password pair\r\n", "server error: WRONGPASS invalid"},
                         row{"-NOAUTH HELLO must be called with the client already authenticated\r\n", "NOAUTH"},
                         row{"-ERR max number of clients reached\r\n", "server error: ERR max number of clients"},
                         row{"HTTP/1.1 400 Bad Request\r\n", "is this an HTTP server?"},
                         row{"+OK\r\n", "protocol error: HELLO answered with +OK"}}) {
        run_test([](std::string reply, std::string expected) -> task<void> {
            script_server server;
            auto connecting = spawn(try_connect(server.url()));
            script_peer peer = co_await server.accept();
            co_await peer.send(reply);  // a full server speaks and hangs up before it has read anything
            peer.close();
            const result<redis::client> db = co_await connecting.join();
            CHECK_PART(fault_of(db).text(), expected);
        }(r.reply, r.text));
    }
}

TEST_CASE("a refused SELECT is the connect error") {
    run_test([]() -> task<void> {
        script_server server;
        auto connecting = spawn(try_connect(server.url("/99")));
        script_peer peer = co_await server.accept();
        co_await peer.send(std::string(hello_reply) + "-ERR DB index is out of range\r\n");
        const result<redis::client> db = co_await connecting.join();
        CHECK(fault_of(db).text() == "connect " + server.address() + ": server error: ERR DB index is out of range");
        co_await peer.expect(std::string(hello) + "*2\r\n$6\r\nSELECT\r\n$2\r\n99\r\n");
        co_await peer.expect_end();
    }());
}

TEST_CASE("a server that is not there is the connect error") {
    run_test([]() -> task<void> {
        std::string url;
        {
            const script_server gone;
            url = gone.url();
        }
        const result<redis::client> db = co_await try_connect(url);
        CHECK(fault_of(db).code() == std::errc::connection_refused);
    }());
}

TEST_CASE("a cancelled connect closes its socket") {
    run_test([]() -> task<void> {
        script_server server;
        auto connecting = spawn(try_connect(server.url()));
        script_peer peer = co_await server.accept();
        co_await peer.expect(std::string(hello));
        connecting.cancel();
        co_await peer.expect_end();
    }());
}

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
            CHECK(fault_of(r).text() == "GET " + server.address() +
                                            ": connection lost: the server closed the connection [maybe_executed]");
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
        CHECK(fault_of(ra).text() == "GET " + server.address() +
                                         ": protocol error: GET cannot be answered with status +OK [maybe_executed]");
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
            CHECK_PART(fault_of(got).text(), expected);
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
        auto three = spawn([](redis::client c) -> task<void> {
            co_await c(redis::get("1"), redis::get("2"), redis::get("3"));
        }(db));
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
                const std::string key = co_await p.next_argument();
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
            co_return done && got == v;
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
        db = redis::client();
        co_await lane.expect_end();
        co_await peer.expect_end();
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
