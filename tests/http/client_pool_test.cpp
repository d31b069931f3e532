// Which connection a request goes out on, and which are kept.
#include <rondo/http/client.hpp>

#include <algorithm>
#include <optional>
#include <vector>

#include <rondo/event.hpp>
#include <rondo/http/error.hpp>
#include <rondo/http/server_options.hpp>
#include <rondo/sleep.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>

#include "peer.hpp"
#include "scripted.hpp"

using namespace std::chrono_literals;
using peers::has;
using peers::peer;
using peers::until;
using rondo::result;
using rondo::task;
using rondo::http::client;
using rondo::http::client_options;
using rondo::http::errc;
using rondo::http::method;
using rondo::http::request;
using rondo::http::response;
using rondo::net::listener;
using scripted::answer;
using scripted::answer_and_close;
using scripted::failed;
using scripted::hi;
using scripted::list;
using scripted::url;

namespace {

// One good answer; then takes the next request and closes after `part` of an answer. Then accepts again.
task<int> break_second(listener& l, std::string part, bool then_serve) {
    {
        peer p = co_await peer::accept(l);
        co_await p.message();
        co_await p.send(hi);
        co_await p.message();
        if (!part.empty()) co_await p.send(part);
    }
    if (!then_serve) co_return 1;
    peer q = co_await peer::accept(l);
    const std::string again = co_await q.message();
    if (again.empty()) co_return 1;
    co_await q.send(hi);
    co_await q.rest();
    co_return 2;
}

}  // namespace

TEST_CASE("requests to one host follow each other on one connection") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c;
        auto serving =
            rondo::spawn(answer(l, list(hi, "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n",
                                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
                                        "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n", hi)));
        const response one = co_await c.get(url(l));
        const response two = co_await c.post(url(l), "body");
        const response three = co_await c.get(url(l));
        const response four = co_await c.send(url(l), request(method::head));
        const response five = co_await c.get(url(l));
        CHECK(two.status() == 204);
        CHECK(three.body() == "x");
        CHECK(four.body().empty());
        CHECK(five.body() == "hi");
        CHECK(c.connections() == 1);
        c = client();
        const std::vector<std::string> sent = co_await serving.join();
        CHECK(sent.size() == 6);
        CHECK(sent[1].ends_with("\r\nContent-Length: 4\r\n\r\nbody"));
    };
    peers::run(body);
}

TEST_CASE("a connection that the server closed while it was idle is not used") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c;
        auto first = rondo::spawn(answer_and_close(l, list(hi)));
        co_await c.get(url(l));
        co_await first.join();
        auto second = rondo::spawn(answer(l, list(hi)));
        const response r = co_await c.post(url(l), "not to be repeated");
        CHECK(r.status() == 200);
        c = client();
        const std::vector<std::string> sent = co_await second.join();
        CHECK(sent.size() == 2);
    };
    peers::run(body);
}

TEST_CASE("bytes that nobody asked for spoil an idle connection") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c;
        const auto chatty = [&]() -> task<> {
            peer p = co_await peer::accept(l);
            co_await p.message();
            co_await p.send(hi);
            co_await rondo::sleep_for(1ms);  // the client has parked it
            co_await p.send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n");
            co_await p.rest();
        };
        auto first = rondo::spawn(chatty(), "chatty");
        co_await c.get(url(l));
        co_await rondo::sleep_for(20ms);
        auto second = rondo::spawn(answer(l, list(hi)));
        const response r = co_await c.get(url(l));
        CHECK(r.status() == 200);
        co_await first.join();
        c = client();
        co_await second.join();
    };
    peers::run(body);
}

TEST_CASE("a get on a reused connection that breaks without an answer is sent once more on a new one") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c;
        auto serving = rondo::spawn(break_second(l, "", true));
        co_await c.get(url(l));
        const response r = co_await c.get(url(l));
        CHECK(r.body() == "hi");
        CHECK(c.connections() == 1);
        c = client();
        const int connections = co_await serving.join();
        CHECK(connections == 2);
    };
    peers::run(body);
}

TEST_CASE("nothing is repeated that may have had an effect, or was answered in part") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c;
        auto one = rondo::spawn(break_second(l, "", false));
        co_await c.get(url(l));
        const result<response> post = co_await rondo::as_result(c.post(url(l), ""));
        CHECK(failed(post, errc::no_response));
        CHECK(post.error().outcome() == rondo::outcome::maybe_executed);
        co_await one.join();

        auto two = rondo::spawn(break_second(l, "H", false));
        co_await c.get(url(l));
        const result<response> partly = co_await rondo::as_result(c.get(url(l)));
        CHECK(failed(partly, errc::incomplete));
        co_await two.join();

        auto fresh = rondo::spawn(answer_and_close(l, list("")));
        const result<response> first = co_await rondo::as_result(c.get(url(l)));
        CHECK(failed(first, errc::no_response));
        co_await fresh.join();
        CHECK(c.connections() == 0);
    };
    peers::run(body);
}

TEST_CASE("a request is repeated once, not forever") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c;
        const auto breaking = [&]() -> task<> {
            co_await break_second(l, "", false);
            co_await answer_and_close(l, list(""));
        };
        auto serving = rondo::spawn(breaking(), "breaking");
        co_await c.get(url(l));
        const result<response> r = co_await rondo::as_result(c.get(url(l)));
        CHECK(failed(r, errc::no_response));
        co_await serving.join();
    };
    peers::run(body);
}

TEST_CASE("no more connections than allowed, and who waits is served in order") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c(client_options().max_per_host(2));
        std::size_t open = 0;
        std::size_t most = 0;
        const auto serve = [&](peer p) -> task<> {
            most = std::max(most, ++open);
            std::string m = co_await p.message();
            while (!m.empty()) {
                co_await rondo::sleep_for(1ms);
                co_await p.send(hi);
                m = co_await p.message();
            }
            --open;
        };
        const auto accept = [&]() -> task<> {
            peer a = co_await peer::accept(l);
            peer b = co_await peer::accept(l);
            co_await rondo::when_all(serve(std::move(a)), serve(std::move(b)));
        };
        auto serving = rondo::spawn(accept(), "accept");
        std::vector<int> order;
        const auto get = [&](int i) -> task<> {
            co_await c.get(url(l));
            order.push_back(i);
            most = std::max(most, c.connections());
        };
        std::vector<task<>> all;
        for (int i = 0; i < 12; ++i) all.push_back(get(i));
        co_await rondo::when_all(std::move(all));
        CHECK(most == 2);
        CHECK(order.size() == 12);
        for (std::size_t i = 0; i + 2 < order.size(); ++i) CHECK(order[i] < order[i + 2]);
        c = client();
        co_await serving.join();
    };
    peers::run(body);
}

TEST_CASE("whoever stops waiting for a connection leaves it to the next in line") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c(client_options().max_per_host(1));
        rondo::event go;
        const auto answer_late = [&]() -> task<> {
            peer p = co_await peer::accept(l);
            co_await p.message();
            co_await go.wait();
            co_await p.send(hi);
            co_await p.rest();
        };
        auto first = rondo::spawn(answer_late(), "first connection");
        std::optional<rondo::join_handle<response>> early;
        std::optional<rondo::join_handle<response>> granted;
        const auto hold = [&]() -> task<> {
            co_await c.get(url(l));
            granted->cancel();  // it was granted the connection a moment ago, and has not run since
        };
        auto holder = rondo::spawn(hold(), "holder");
        co_await rondo::this_job::yield();
        early.emplace(rondo::spawn(c.get(url(l)), "early"));
        granted.emplace(rondo::spawn(c.get(url(l)), "granted"));
        auto last = rondo::spawn(c.get(url(l)), "last");
        co_await rondo::this_job::yield();
        early->cancel();  // while it waits
        go.set();

        co_await holder.join();
        const result<response> e = co_await rondo::as_result(early->join());
        const result<response> g = co_await rondo::as_result(granted->join());
        CHECK(failed(e, make_error_code(rondo::errc::cancelled)));
        CHECK(failed(g, make_error_code(rondo::errc::cancelled)));

        auto second = rondo::spawn(answer(l, list(hi)), "second connection");
        const response r = co_await last.join();
        CHECK(r.body() == "hi");
        CHECK(c.idle_connections() == 1);
        CHECK(c.connections() == 1);
        c = client();
        co_await first.join();
        co_await second.join();
    };
    peers::run(body);
}

TEST_CASE("a server that says how long it keeps a connection is believed") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c;
        auto soon = rondo::spawn(
            answer(l, list("HTTP/1.1 200 OK\r\nKeep-Alive: max=5, timeout=1\r\nContent-Length: 2\r\n\r\nhi")));
        co_await c.get(url(l));
        CHECK(c.connections() == 0);
        co_await soon.join();
        auto later =
            rondo::spawn(answer(l, list("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\nContent-Length: 2\r\n\r\nhi")));
        co_await c.get(url(l));
        CHECK(c.idle_connections() == 1);
        c = client();
        co_await later.join();
    };
    peers::run(body);
}

TEST_CASE("an idle connection is not kept longer than allowed") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c(client_options().idle_timeout(1ms));
        auto first = rondo::spawn(answer(l, list(hi)));
        co_await c.get(url(l));
        co_await rondo::sleep_for(2ms);
        auto second = rondo::spawn(answer(l, list(hi)));
        co_await c.get(url(l));
        co_await first.join();
        c = client();
        co_await second.join();
    };
    peers::run(body);
}

TEST_CASE("limits that would let nothing through are refused by name") {
    CHECK_THROWS_WITH(rondo::http::client_options().max_per_host(0),
                      "max_per_host: invalid argument: must be at least 1");
    CHECK_THROWS_WITH(rondo::http::server_options().max_connections(0),
                      "max_connections: invalid argument: must be at least 1");
}
