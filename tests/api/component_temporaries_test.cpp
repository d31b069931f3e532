// The same for net, redis and http: strings, endpoints, streams, commands and messages as temporaries of one co_await
// expression. What is destroyed twice here ends the program (glibc, AddressSanitizer); what is kept is a leak.
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <rondo/as_result.hpp>
#include <rondo/http/client.hpp>
#include <rondo/http/server.hpp>
#include <rondo/net/listener.hpp>
#include <rondo/net/stream.hpp>
#include <rondo/redis/client.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using namespace std::chrono_literals;
using namespace std::string_literals;
using rondo::task;
namespace net = rondo::net;
namespace redis = rondo::redis;
namespace http = rondo::http;

namespace {

/// Too long to live inside a string object.
std::string long_text(std::string_view word) { return std::string(50, '.') + std::string(word); }

task<> echo_all(net::stream s) {
    for (;;) {
        const net::chunk c = co_await s.read();
        if (c.empty()) co_return;
        co_await s.write_all(c);
    }
}
task<> echo_everybody(net::listener& l) {
    for (;;) rondo::spawn(echo_all(co_await l.accept()), "echo").detach();
}

/// Answers HELLO and then everything else with the same line.
task<> answer_all(net::stream s, std::string line) {
    bool greeted = false;
    for (;;) {
        const net::chunk c = co_await s.read();
        if (c.empty()) co_return;
        if (greeted) co_await s.write_all(line);
        else co_await s.write_all("%1\r\n$5\r\nproto\r\n:3\r\n"s);
        greeted = true;
    }
}
task<> answer_everybody(net::listener& l, std::string line) {
    for (;;) rondo::spawn(answer_all(co_await l.accept(), line), "redis").detach();
}

task<http::response> repeat(http::request& r) { co_return http::response::text(r.param("word") + r.body()); }

std::string address(const net::listener& l) { return l.local().to_string(); }

}  // namespace

TEST_CASE("temporaries given to streams and listeners") {
    net::listener l(net::endpoint("127.0.0.1:0"), net::listener_options().backlog(16).reuse_port(false));
    const auto body = [&]() -> task<> {
        rondo::spawn(echo_everybody(l), "listener").detach();
        const std::size_t sent = co_await (co_await net::connect(net::endpoint(address(l)))).write_all(long_text("a"));
        CHECK(sent == 51);
        net::stream s = co_await rondo::with_timeout(10s, net::connect(address(l)));
        co_await s.write_all(long_text("b"));
        std::string got;
        while (got.size() < 51) got += (co_await s.read()).text();
        CHECK(got == long_text("b"));
        const std::size_t some = co_await s.write_some(long_text("c"));
        std::string part(some, '\0');
        co_await s.read_exactly(part);
        CHECK(part == long_text("c").substr(0, some));
        const auto none = co_await rondo::as_result(rondo::with_timeout(1ms, s.read()));
        CHECK(none.error() == rondo::errc::timed_out);
        const auto refused = co_await rondo::as_result(net::connect(net::endpoint("unix:/nowhere/"s + long_text("d"))));
        CHECK(!refused);
        const auto both = co_await rondo::when_all(net::connect(address(l)), net::connect(address(l)));
        CHECK(std::get<0>(both).is_open());
        net::stream moved = net::stream(co_await net::connect(l.local()));
        const std::string_view view = moved.local().is_unix() ? "unix" : "tcp";
        CHECK(view == "tcp");
    };
    rondo::run(body());
}

TEST_CASE("temporaries given to redis") {
    net::listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        rondo::spawn(answer_everybody(l, "$4\r\nPONG\r\n"), "listener").detach();
        const auto pong = co_await (co_await redis::connect(redis::options("redis://" + address(l)).max_waiting(10)))(
            redis::ping(long_text("a")));
        CHECK(pong == "PONG");
        redis::client db = co_await redis::connect("redis://" + address(l));
        const auto value = co_await db(redis::get(long_text("k")));
        CHECK(value == "PONG");
        const auto typed = co_await rondo::as_result(db(redis::get<int>(long_text("k"))));
        CHECK(typed.error() == redis::errc::conversion);
        const auto any = co_await rondo::with_timeout(
            10s, db(redis::command<std::string>("ECHO"s + long_text("x"), long_text("y"), 5, 2.5)));
        CHECK(any == "PONG");
        const auto set =
            co_await rondo::as_result(db(redis::set(long_text("k"), long_text("v"), redis::ex(60s), redis::nx)));
        CHECK(!set);
    };
    rondo::run(body());
}

TEST_CASE("temporaries given to a redis pipeline and to a blocking command") {
    net::listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        rondo::spawn(answer_everybody(l, "*2\r\n$1\r\nq\r\n$1\r\nv\r\n"), "listener").detach();
        redis::client db = co_await redis::connect("redis://" + address(l));
        const auto popped = co_await db(redis::blpop(long_text("q"), redis::forever));
        CHECK(popped->second == "v");
        const auto in_time = co_await rondo::with_timeout(10s, db(redis::blpop(std::string("q"), 5s)));
        CHECK(in_time->first == "q");
        const auto pair = co_await rondo::when_all(db(redis::command<std::vector<std::string>>("A", long_text("x"))));
        CHECK(std::get<0>(pair).size() == 2);
        const auto wrong = co_await rondo::as_result(db(redis::get(long_text("a")), redis::incr(long_text("b"))));
        CHECK(!wrong);
    };
    rondo::run(body());
}

TEST_CASE("temporaries given to http clients and servers") {
    const auto body = [&]() -> task<> {
        http::server s(net::endpoint("127.0.0.1:0"), http::server_options().limits(http::limits()).idle_timeout(5s));
        const std::string suffix = long_text("!");
        s.get("/say/{word}"s, repeat).post("/say/{word}", [suffix](http::request& r) -> task<http::response> {
            co_return http::response(201, r.body() + suffix).header("X-Word"s, r.param("word"));
        });
        auto serving = rondo::spawn(s.serve(), "server");
        const std::string base = "http://" + s.local().to_string();
        const auto got =
            (co_await http::client(http::client_options().max_per_host(2)).get(base + "/say/hello")).body();
        CHECK(got == "hello");
        http::client c;
        const auto posted = co_await c.post(http::url(base + "/say/" + "word"s), long_text("body"));
        CHECK(posted.status() == 201);
        CHECK(posted.header("x-word"s) == "word");
        const auto sent = co_await rondo::with_timeout(
            10s, c.send(base + "/say/more", http::request(http::method::post).header("A"s, "b"s).body(long_text("c"))));
        CHECK(sent.body() == long_text("c") + suffix);
        const auto both = co_await rondo::when_all(c.get(base + "/say/a"s), c.get(base + "/none"s));
        CHECK(std::get<1>(both).status() == 404);
        const auto bad = co_await rondo::as_result(c.get("http://127.0.0.1:1/"s));
        CHECK(!bad);
        s.stop();
        co_await serving.join();
    };
    rondo::run(body());
}
