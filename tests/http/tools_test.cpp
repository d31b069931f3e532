// The server before real clients, and the client before a server of others.
#include <rondo/http/client.hpp>
#include <rondo/http/server.hpp>

#include <vector>

#include <rondo/as_completed.hpp>
#include <rondo/blocking.hpp>
#include <rondo/sleep.hpp>

#include "child.hpp"
#include "peer.hpp"

using namespace std::chrono_literals;
using children::child;
using peers::has;
using rondo::task;
using rondo::http::client;
using rondo::http::request;
using rondo::http::response;
using rondo::http::server;

namespace {

task<response> hello(request&) { co_return response::text("hello\n"); }
task<response> echo(request& r) { co_return response(200, r.body()); }
task<response> paused(request&) {
    co_await rondo::sleep_for(1ms);
    co_return response::text("paused\n");
}

std::string base(const server& s) { return "http://" + s.local().to_string(); }

template <class... Words>
std::vector<std::string> command(const Words&... words) {
    std::vector<std::string> all;
    (all.emplace_back(words), ...);
    return all;
}

// Runs a program on a thread of the pool, while this context goes on serving.
task<std::string> output_of(std::vector<std::string> words) {
    const auto call = [&] { return child(words).rest(); };
    std::string out = co_await rondo::blocking(call);
    co_return out;
}

}  // namespace

TEST_CASE("curl gets pages, heads, errors and its own body back") {
    server s("127.0.0.1:0");
    s.get("/", hello).post("/echo", echo);
    const auto body = [&]() -> task<> {
        const std::string page = co_await output_of(command("curl", "-sS", "-i", base(s) + "/"));
        CHECK(page.starts_with("HTTP/1.1 200 OK\r\n"));
        CHECK(page.ends_with("\r\nContent-Length: 6\r\n\r\nhello\n"));

        const std::string head = co_await output_of(command("curl", "-sS", "-I", base(s) + "/"));
        CHECK(head.ends_with("\r\nContent-Length: 6\r\n\r\n"));

        const std::string twice =
            co_await output_of(command("curl", "-sS", "-w", "%{num_connects} ", base(s) + "/", base(s) + "/"));
        CHECK(twice == "hello\n1 hello\n0 ");

        const std::string old = co_await output_of(command("curl", "-sS", "-0", base(s) + "/"));
        CHECK(old == "hello\n");

        const std::string missing =
            co_await output_of(command("curl", "-sS", "-w", "%{http_code}", base(s) + "/nothing"));
        CHECK(missing == "404");

        const std::string text = "key=" + std::string(2000, 'v');
        const std::string sized = co_await output_of(command("curl", "-sS", "-d", text, base(s) + "/echo"));
        CHECK(sized == text);
        const std::string chunked = co_await output_of(
            command("curl", "-sS", "-H", "Transfer-Encoding: chunked", "-d", text, base(s) + "/echo"));
        CHECK(chunked == text);
        const std::string waited = co_await output_of(
            command("curl", "-sS", "-v", "-H", "Expect: 100-continue", "-d", text, base(s) + "/echo"));
        CHECK(has(waited, "< HTTP/1.1 100 Continue"));
        CHECK(has(waited, text));
    };
    peers::with(s, body);
}

TEST_CASE("ab keeps its connections alive") {
    server s("127.0.0.1:0");
    s.get("/", hello).get("/pause", paused);
    const auto body = [&]() -> task<> {
        for (const char* path : {"/", "/pause"}) {
            const std::string report =
                co_await output_of(command("ab", "-q", "-k", "-n", "1000", "-c", "10", base(s) + path));
            INFO(report);
            CHECK(has(report, "Complete requests:      1000\n"));
            CHECK(has(report, "Keep-Alive requests:    1000\n"));
            CHECK(has(report, "Failed requests:        0\n"));
        }
        const std::string report = co_await output_of(command("ab", "-q", "-n", "200", "-c", "10", base(s) + "/"));
        INFO(report);
        CHECK(has(report, "Complete requests:      200\n"));
        CHECK(has(report, "Failed requests:        0\n"));
    };
    peers::with(s, body);
}

TEST_CASE("the client waits at a foreign slow server for many answers at once") {
    child python(command("python3", std::string(RONDO_TEST_DATA_DIR) + "/http/slow_server.py"));
    const std::string at = "http://127.0.0.1:" + python.line();
    const auto body = [&]() -> task<> {
        client c;
        std::vector<task<response>> all;
        for (const char* seconds : {"/0.4", "/0.3", "/0.2", "/0.1"}) all.push_back(c.get(at + seconds));
        auto settled = rondo::as_completed(std::move(all));
        std::vector<std::size_t> order;
        bool more = true;
        while (more) {
            const auto next = co_await settled.next();
            more = next.has_value();
            if (more) {
                order.push_back(next->first);
                REQUIRE(next->second.has_value());
                CHECK(next->second->body() == "slow\n");
            }
        }
        CHECK(order == std::vector<std::size_t>{3, 2, 1, 0});
        const response again = co_await c.get(at + "/0");
        CHECK(again.body() == "slow\n");
        CHECK(c.connections() == 4);
    };
    peers::run(body);
}
