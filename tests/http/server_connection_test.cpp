// What one connection does with what a client sends.
#include <rondo/http/server.hpp>

#include <vector>

#include <rondo/cancelled.hpp>
#include <rondo/event.hpp>

#include "cases.hpp"
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

}  // namespace

TEST_CASE("every request case has its verdict on the wire, and its refusal can be read") {
    server s("127.0.0.1:0");
    s.get("/", hello).post("/", echo);
    const auto body = [&]() -> task<> {
        for (const auto& row : cases::read("requests.tsv", 4)) {
            INFO(row[0]);
            peer p = co_await peer::connect(s.local());
            co_await p.send(cases::unescape(row[1]));
            p.stream.shutdown();
            const std::string answers = co_await p.rest();

            std::vector<int> statuses;
            for (std::size_t at = answers.find("HTTP/1.1 "); at != std::string::npos;
                 at = answers.find("HTTP/1.1 ", at + 1))
                statuses.push_back(status_of(std::string_view(answers).substr(at)));
            std::size_t expected = 0;
            int refusal = 0;
            std::string_view rest = row[2];
            bool more = true;
            while (more) {
                const std::size_t bar = rest.find(" | ");
                const std::string_view item = rest.substr(0, bar);
                more = bar != std::string_view::npos;
                rest = more ? rest.substr(bar + 3) : std::string_view();
                if (item != "close" && item != "more") ++expected;
                if (item.front() >= '0' && item.front() <= '9') refusal = std::stoi(std::string(item.substr(0, 3)));
            }
            CHECK(statuses.size() == expected);
            for (std::size_t i = 0; i < statuses.size(); ++i) {
                const bool last = i + 1 == statuses.size();
                if (last && refusal != 0) CHECK(statuses[i] == refusal);
                else CHECK((statuses[i] == 200 || statuses[i] == 204 || statuses[i] == 400 || statuses[i] == 404));
            }
            if (refusal != 0) CHECK(has(answers, "\r\nConnection: close\r\n"));
        }
    };
    peers::with(s, body);
}

TEST_CASE("requests that come byte by byte are answered like any other") {
    server s("127.0.0.1:0");
    s.get("/", hello).post("/", echo);
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        const std::string raw = get("/") +
                                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n" +
                                get("/");
        for (const char c : raw) co_await p.send(std::string(1, c));
        const std::string one = co_await p.message();
        const std::string two = co_await p.message();
        const std::string three = co_await p.message();
        CHECK(body_of(one) == "hello");
        CHECK(body_of(two) == "hi");
        CHECK(body_of(three) == "hello");
    };
    peers::with(s, body);
}

TEST_CASE("an http/1.0 client keeps its connection if it asks, and is told so") {
    server s("127.0.0.1:0");
    s.get("/", hello);
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        for (int i = 0; i < 2; ++i) {
            co_await p.send("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
            const std::string m = co_await p.message();
            CHECK(m.starts_with("HTTP/1.1 200 OK\r\n"));
            CHECK(has(m, "\r\nConnection: keep-alive\r\n"));
            CHECK(has(m, "\r\nContent-Length: 5\r\n"));
        }
        co_await p.send("GET / HTTP/1.0\r\n\r\n");
        const std::string last = co_await p.rest();
        CHECK(has(last, "\r\nConnection: close\r\n"));
    };
    peers::with(s, body);
}

TEST_CASE("the answers to pipelined requests leave in one write") {
    server s("127.0.0.1:0");
    s.get("/{name}", name);
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        std::string all;
        for (int i = 0; i < 10; ++i) all += get("/n" + std::to_string(i));
        co_await p.send(all);
        p.buffer = co_await p.piece();
        std::size_t answers = 0;
        for (std::size_t at = p.buffer.find("HTTP/1.1"); at != std::string::npos;
             at = p.buffer.find("HTTP/1.1", at + 1))
            ++answers;
        CHECK(answers == 10);
        for (int i = 0; i < 10; ++i) {
            const std::string m = co_await p.message();
            CHECK(body_of(m) == "n" + std::to_string(i));
        }
    };
    peers::with(s, body);
}

TEST_CASE("an answer that is ready does not wait for the slow handler behind it") {
    server s("127.0.0.1:0");
    rondo::event go;
    s.get("/fast", hello);
    s.get("/slow", [&](request&) -> task<response> {
        co_await go.wait();
        co_return response::text("slow");
    });
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send(get("/fast") + get("/slow") + get("/fast"));
        const std::string one = co_await p.message();
        CHECK(body_of(one) == "hello");
        go.set();
        const std::string two = co_await p.message();
        const std::string three = co_await p.message();
        CHECK(body_of(two) == "slow");
        CHECK(body_of(three) == "hello");
    };
    peers::with(s, body);
}

TEST_CASE("a request that comes while a handler runs is kept for its turn") {
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
        peer p = co_await peer::connect(s.local());
        co_await p.send(get("/slow"));
        co_await entered.wait();
        co_await p.send(get("/").substr(0, 10));
        co_await p.send(get("/").substr(10));
        go.set();
        const std::string one = co_await p.message();
        const std::string two = co_await p.message();
        CHECK(body_of(one) == "slow");
        CHECK(body_of(two) == "hello");
    };
    peers::with(s, body);
}

TEST_CASE("a request that comes while a response is being written is not lost") {
    server s("127.0.0.1:0");
    const std::string large(16 << 20, 'x');
    s.get("/", hello);
    s.get("/large", [&](request&) -> task<response> { co_return response(200, large); });
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send(get("/large"));
        p.buffer = co_await p.piece();  // the response is under way, and far from done
        co_await p.send(get("/"));
        const std::string one = co_await p.message();
        CHECK(body_of(one).size() == large.size());
        const std::string two = co_await p.message();
        CHECK(body_of(two) == "hello");
    };
    peers::with(s, body);
}

TEST_CASE("a body over the limit is refused with an answer that can be read") {
    server s("127.0.0.1:0", server_options().limits(rondo::http::limits().body(1000)));
    s.post("/", echo);
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n" + std::string(500000, 'x'));
        const std::string m = co_await p.rest();
        CHECK(status_of(m) == 413);
        CHECK(has(m, "\r\nConnection: close\r\n"));

        peer q = co_await peer::connect(s.local());
        co_await q.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'x'));
        const std::string fits = co_await q.message();
        CHECK(body_of(fits) == std::string(1000, 'x'));
    };
    peers::with(s, body);
}

TEST_CASE("a body that no handler wants is passed over, or ends the connection when it is long") {
    server s("127.0.0.1:0");
    s.get("/", hello);
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send("POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 32\r\n\r\n" + std::string(32, 'x') +
                        get("/"));
        const std::string one = co_await p.message();
        const std::string two = co_await p.message();
        CHECK(status_of(one) == 404);
        CHECK(body_of(two) == "hello");

        co_await p.send("POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" +
                        std::string(100000, 'x'));
        const std::string last = co_await p.rest();
        CHECK(status_of(last) == 404);
        CHECK(has(last, "\r\nConnection: close\r\n"));
    };
    peers::with(s, body);
}

TEST_CASE("a client that holds its body back is asked for it only when somebody wants it") {
    server s("127.0.0.1:0");
    s.post("/", echo);
    const std::string head = " HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send("POST /" + head);
        const std::string go_on = co_await p.message(false);
        CHECK(go_on == "HTTP/1.1 100 Continue\r\n\r\n");
        co_await p.send("hello");
        const std::string m = co_await p.message();
        CHECK(body_of(m) == "hello");

        co_await p.send("POST /nothing" + head);
        const std::string last = co_await p.rest();
        CHECK(status_of(last) == 404);
        CHECK(has(last, "\r\nConnection: close\r\n"));

        peer early = co_await peer::connect(s.local());
        co_await early.send("POST /" + head + "hello");
        const std::string at_once = co_await early.message();
        CHECK(status_of(at_once) == 200);
    };
    peers::with(s, body);
}

TEST_CASE("trailers reach the handler apart from the headers") {
    server s("127.0.0.1:0");
    s.post("/", [](request& r) -> task<response> {
        co_return response(200, std::string(r.trailers().get("host").value_or("none")) + " " +
                                    std::string(r.header("host").value_or("none")));
    });
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHost: evil\r\n\r\n");
        const std::string m = co_await p.message();
        CHECK(body_of(m) == "evil a");
    };
    peers::with(s, body);
}

TEST_CASE("a client that leaves cancels its handler") {
    server s("127.0.0.1:0");
    rondo::event entered;
    int cancelled = 0;
    s.get("/", [&](request&) -> task<response> {
        rondo::event never;
        entered.set();
        try {
            co_await never.wait();
        } catch (const rondo::cancelled&) {
            ++cancelled;
            throw;
        }
        co_return response();
    });
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send(get("/"));
        co_await entered.wait();
        CHECK(cancelled == 0);
        p.stream.close();
        co_await until([&] { return s.connections() == 0; });
        CHECK(cancelled == 1);
    };
    peers::with(s, body);
}

TEST_CASE("a head, a body or a request that does not come in time ends the connection") {
    server s("127.0.0.1:0", server_options().header_timeout(30ms).body_timeout(30ms).idle_timeout(30ms));
    s.get("/", hello).post("/", echo);
    const auto body = [&]() -> task<> {
        peer silent = co_await peer::connect(s.local());
        peer slow = co_await peer::connect(s.local());
        co_await slow.send("GET / HT");
        peer stuck = co_await peer::connect(s.local());
        co_await stuck.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe");
        peer idle = co_await peer::connect(s.local());
        co_await idle.send(get("/"));

        const std::string nothing = co_await silent.rest();
        CHECK(nothing.empty());
        const std::string head = co_await slow.rest();
        CHECK(status_of(head) == 408);
        const std::string unfinished = co_await stuck.rest();
        CHECK(status_of(unfinished) == 408);
        const std::string answered = co_await idle.rest();
        CHECK(body_of(answered) == "hello");
    };
    peers::with(s, body);
}

TEST_CASE("a client that takes no bytes does not keep its connection") {
    server s("127.0.0.1:0", server_options().write_timeout(30ms));
    s.get("/", [](request&) -> task<response> { co_return response(200, std::string(32 << 20, 'x')); });
    const auto body = [&]() -> task<> {
        peer p = co_await peer::connect(s.local());
        co_await p.send(get("/"));
        p.buffer = co_await p.piece();
        co_await until([&] { return s.connections() == 0; });
        const std::string all = co_await p.rest();
        CHECK(all.size() < (32 << 20));
    };
    peers::with(s, body);
}
