#include <rondo/http/client.hpp>
#include <rondo/http/server.hpp>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <rondo/as_completed.hpp>
#include <rondo/sleep.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "peer.hpp"

using namespace std::chrono_literals;
using rondo::task;
using rondo::http::client;
using rondo::http::client_options;
using rondo::http::method;
using rondo::http::request;
using rondo::http::response;
using rondo::http::server;

namespace {

task<response> echo(request& r) {
    response out(200, r.body());
    out.trailers() = r.trailers();
    co_return out;
}

task<response> after(request& r) {
    co_await rondo::sleep_for(std::chrono::milliseconds(std::atoi(r.param("ms").c_str())));
    co_return response(200, r.param("ms"));
}

std::string base(const server& s) { return "http://" + s.local().to_string(); }

}  // namespace

TEST_CASE("bodies of every size come back from the server as the client sent them") {
    server s("127.0.0.1:0");
    s.post("/echo", echo);
    const auto body = [&]() -> task<> {
        client c;
        for (const unsigned size : {0U, 1U, 2U, 100U, 4095U, 4096U, 65535U, 65536U, 65537U, 1000003U, 8U << 20}) {
            std::string sent(size, '\0');
            for (std::size_t i = 0; i < size; ++i) sent[i] = static_cast<char>(i * 7 + i / 251);
            const response r = co_await c.post(base(s) + "/echo", sent);
            CHECK(r.status() == 200);
            CHECK((r.body() == sent));
        }
        CHECK(c.connections() == 1);
    };
    peers::with(s, body);
}

TEST_CASE("trailers go there and back") {
    server s("127.0.0.1:0");
    s.post("/echo", echo);
    const auto body = [&]() -> task<> {
        client c;
        request q(method::post);
        q.body("hello").trailers().add("Sum", "1");
        const response r = co_await c.send(base(s) + "/echo", std::move(q));
        CHECK(r.body() == "hello");
        CHECK(r.trailers().get("sum") == "1");
        CHECK_FALSE(r.header("sum"));
        CHECK(c.idle_connections() == 1);
    };
    peers::with(s, body);
}

TEST_CASE("answers come in the order in which they are ready, not asked for") {
    server s("127.0.0.1:0");
    s.get("/after/{ms}", after);
    const auto body = [&]() -> task<> {
        client c;
        std::vector<task<response>> all;
        for (int i = 10; i >= 1; --i) all.push_back(c.get(base(s) + "/after/" + std::to_string(i * 20)));
        auto settled = rondo::as_completed(std::move(all));
        std::vector<std::size_t> order;
        bool more = true;
        while (more) {
            const auto next = co_await settled.next();
            more = next.has_value();
            if (more) {
                CHECK(next->second.has_value());
                order.push_back(next->first);
            }
        }
        CHECK(order == std::vector<std::size_t>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
    };
    peers::with(s, body);
}

TEST_CASE("many callers share few connections and every answer reaches its own") {
    server s("127.0.0.1:0");
    s.get("/after/{ms}", after).post("/echo", echo);
    const auto body = [&]() -> task<> {
        client c(client_options().max_per_host(7));
        const auto call = [&](int i) -> task<> {
            const std::string text = std::to_string(i % 3);
            response r;
            if (i % 2 == 0) r = co_await c.get(base(s) + "/after/" + text);
            else r = co_await c.post(base(s) + "/echo", text);
            CHECK(r.body() == text);
        };
        std::vector<task<>> all;
        for (int i = 0; i < 500; ++i) all.push_back(call(i));
        co_await rondo::when_all(std::move(all));
        CHECK(c.connections() <= 7);
        CHECK(c.idle_connections() == c.connections());
        co_await rondo::sleep_for(1ms);
        CHECK(s.connections() == c.connections());
    };
    peers::with(s, body);
}

TEST_CASE("deadlines on the client cancel handlers on the server, and what is left still works") {
    server s("127.0.0.1:0");
    s.get("/after/{ms}", after);
    const auto body = [&]() -> task<> {
        client c;
        std::vector<task<>> all;
        const auto give_up = [&]() -> task<> {
            const rondo::result<response> r =
                co_await rondo::as_result(rondo::with_timeout(10ms, c.get(base(s) + "/after/100000")));
            CHECK((!r.has_value() && r.error() == rondo::errc::timed_out));
        };
        for (int i = 0; i < 20; ++i) all.push_back(give_up());
        co_await rondo::when_all(std::move(all));
        CHECK(c.connections() == 0);
        while (s.connections() != 0) co_await rondo::sleep_for(1ms);
        const response r = co_await c.get(base(s) + "/after/1");
        CHECK(r.body() == "1");
    };
    peers::with(s, body);
}
