#include <rondo/http/server.hpp>

#include <unistd.h>
#include <vector>

#include <rondo/cancelled.hpp>
#include <rondo/event.hpp>
#include <rondo/report.hpp>
#include <rondo/sleep.hpp>

#include "peer.hpp"

using namespace std::chrono_literals;
using peers::body_of;
using peers::get;
using peers::has;
using peers::peer;
using peers::status_of;
using peers::until;
using rondo::task;
using rondo::http::request;
using rondo::http::response;
using rondo::http::server;
using rondo::http::server_options;

namespace {

task<response> hello(request&) { co_return response::text("hello"); }
task<response> echo(request& r) { co_return response(200, r.body()); }
task<response> name(request& r) { co_return response(200, r.param("name")); }

// What was reported since.
class reports {
public:
    reports() : before_(rondo::on_report([](std::string_view text) { lines().emplace_back(text); })) {
        lines().clear();
    }
    reports(const reports&) = delete;
    reports& operator=(const reports&) = delete;
    ~reports() { rondo::on_report(before_); }
    static std::vector<std::string>& lines() {
        static std::vector<std::string> all;
        return all;
    }

private:
    rondo::report_handler before_;
};

}  // namespace

TEST_CASE("a server answers get, head and unknown paths and methods") {
    server s("127.0.0.1:0");
    s.get("/", hello).get("/{name}/x", name).post("/", echo);
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send(get("/"));
        const std::string one = co_await p.message();
        CHECK(one.starts_with("HTTP/1.1 200 OK\r\nDate: "));
        CHECK(one.ends_with(" GMT\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\nhello"));

        co_await p.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
        const std::string head = co_await p.message(false);
        CHECK(has(head, "\r\nContent-Length: 5\r\n"));

        co_await p.send(get("/a%20b/x"));
        const std::string named = co_await p.message();
        CHECK(body_of(named) == "a b");

        co_await p.send(get("/nothing"));
        const std::string unknown = co_await p.message();
        CHECK(status_of(unknown) == 404);

        co_await p.send("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n");
        const std::string wrong = co_await p.message();
        CHECK(status_of(wrong) == 405);
        CHECK(has(wrong, "\r\nAllow: GET, HEAD, POST, OPTIONS\r\n"));

        co_await p.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
        const std::string options = co_await p.message();
        CHECK(status_of(options) == 204);
        CHECK(p.buffer.empty());
    };
    peers::with(s, body);
}

TEST_CASE("what a handler throws is a 500 and a report, and the connection goes on") {
    const reports seen;
    server s("127.0.0.1:0");
    s.get("/", hello);
    s.get("/bad", [](request&) -> task<response> {
        co_await rondo::sleep_for(1ms);
        throw std::runtime_error("no luck");
    });
    s.get("/odd", [](request&) -> task<response> {
        throw 7;
        co_return response();
    });
    s.get("/status", [](request&) -> task<response> { co_return response(42); });
    s.get("/gone", [](request&) -> task<response> {
        throw rondo::cancelled(rondo::cancel_reason::requested);  // though nobody cancelled it
        co_return response();
    });
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        for (const char* path : {"/bad", "/odd", "/status", "/gone"}) {
            co_await p.send(get(path));
            const std::string m = co_await p.message();
            CHECK(status_of(m) == 500);
            CHECK_FALSE(has(m, "luck"));
        }
        co_await p.send(get("/"));
        const std::string m = co_await p.message();
        CHECK(body_of(m) == "hello");
    };
    peers::with(s, body);
    REQUIRE(reports::lines().size() == 4);
    CHECK(reports::lines()[0] == "http handler of GET /bad failed: no luck");
    CHECK(has(reports::lines()[2], "GET /status"));
}

TEST_CASE("a capturing handler lives as long as the server, even one that was moved") {
    std::optional<server> first(std::in_place, "127.0.0.1:0");
    const std::string text(100, 'x');
    first->get("/", [text](request&) -> task<response> {
        co_await rondo::sleep_for(1ms);
        co_return response(200, text);
    });
    server s = *std::move(first);
    first.reset();
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send(get("/"));
        const std::string m = co_await p.message();
        CHECK(body_of(m) == text);
    };
    peers::with(s, body);
}

TEST_CASE("stop closes idle connections at once and lets handlers finish") {
    server s("127.0.0.1:0");
    rondo::event entered;
    rondo::event go;
    s.get("/", hello);
    s.get("/slow", [&](request&) -> task<response> {
        entered.set();
        co_await go.wait();
        co_return response::text("slow");
    });
    const auto body = [&]() -> task<> {
        peer silent = co_await peer::connect(s.local());
        peer idle = co_await peer::connect(s.local());
        co_await idle.send(get("/"));
        const std::string first = co_await idle.message();
        peer busy = co_await peer::connect(s.local());
        co_await busy.send(get("/slow") + get("/"));
        co_await entered.wait();
        co_await until([&] { return s.connections() == 3; });

        s.stop();
        const std::string none = co_await silent.rest();
        const std::string no_more = co_await idle.rest();
        CHECK(none.empty());
        CHECK(no_more.empty());
        CHECK(s.connections() == 1);
        const rondo::result<rondo::net::stream> late = co_await rondo::as_result(rondo::net::connect(s.local()));
        CHECK_FALSE(late.has_value());

        go.set();
        const std::string last = co_await busy.rest();
        CHECK(has(last, "\r\nConnection: close\r\n"));
        CHECK(body_of(last) == "slow");
    };
    peers::with(s, body);
}

TEST_CASE("a handler that is not done within the grace is cancelled") {
    server s("127.0.0.1:0", server_options().grace(20ms));
    rondo::event entered;
    bool cancelled = false;
    s.get("/", [&](request&) -> task<response> {
        rondo::event never;
        entered.set();
        try {
            co_await never.wait();
        } catch (const rondo::cancelled&) {
            cancelled = true;
            throw;
        }
        co_return response();
    });
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send(get("/"));
        co_await entered.wait();
        s.stop();
        const std::string nothing = co_await p.rest();
        CHECK(nothing.empty());
        CHECK(cancelled);
    };
    peers::with(s, body);
}

TEST_CASE("a cancelled serve drains before it unwinds") {
    server s("127.0.0.1:0");
    rondo::event entered;
    rondo::event go;
    s.get("/slow", [&](request&) -> task<response> {
        entered.set();
        co_await go.wait();
        co_return response::text("slow");
    });
    const auto body = [&]() -> task<> {
        auto serving = rondo::spawn(s.serve(), "serve");
        peer p = co_await peer::connect(s.local());
        co_await p.send(get("/slow"));
        co_await entered.wait();
        serving.cancel();
        co_await rondo::sleep_for(1ms);
        CHECK_FALSE(serving.is_done());
        go.set();
        const std::string m = co_await p.rest();
        CHECK(body_of(m) == "slow");
        p.stream.close();
        const rondo::result<void> r = co_await rondo::as_result(serving.join());
        CHECK((!r.has_value() && r.error() == rondo::errc::cancelled));
        CHECK(s.connections() == 0);
    };
    peers::run(body);
}

TEST_CASE("one connection more than allowed waits for its turn") {
    server s("127.0.0.1:0", server_options().max_connections(1));
    s.get("/", hello);
    const auto body = [&]() -> task<> {
        peer first = co_await peer::connect(s.local());
        co_await first.send(get("/"));
        const std::string one = co_await first.message();
        CHECK(body_of(one) == "hello");
        peer second = co_await peer::connect(s.local());
        co_await second.send(get("/"));
        co_await first.send(get("/"));
        const std::string again = co_await first.message();
        CHECK(body_of(again) == "hello");
        CHECK(s.connections() == 1);
        first.stream.close();
        const std::string two = co_await second.message();
        CHECK(body_of(two) == "hello");
    };
    peers::with(s, body);
}

TEST_CASE("a server with as many connections as allowed can be stopped") {
    server s("127.0.0.1:0", server_options().max_connections(1));
    s.get("/", hello);
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send(get("/"));
        co_await p.message();
        s.stop();
        const std::string nothing = co_await p.rest();
        CHECK(nothing.empty());
    };
    peers::with(s, body);
}

TEST_CASE("a server serves once at a time, and on a unix socket as well") {
    server s("unix:/tmp/rondo-http-server-test-" + std::to_string(::getpid()));
    s.get("/", hello);
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send(get("/"));
        const std::string m = co_await p.message();
        CHECK(body_of(m) == "hello");
        const rondo::result<void> again = co_await rondo::as_result(s.serve());
        CHECK((!again.has_value() && again.error() == rondo::errc::busy));
    };
    peers::with(s, body);
}

TEST_CASE("a path that cannot be served is refused when it is added") {
    server s("127.0.0.1:0");
    s.get("/a", hello);
    CHECK_THROWS_AS(s.get("/a", hello), rondo::error);
    CHECK_THROWS_AS(s.get("a", hello), rondo::error);
}
