#include <rondo/http/client.hpp>

#include <vector>

#include <rondo/http/error.hpp>
#include <rondo/sleep.hpp>
#include <rondo/with_timeout.hpp>

#include "cases.hpp"
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

// The verdict of responses.tsv on the last response: its status and body, or why there is none.
std::string last_of(std::string_view verdict) {
    const std::size_t bar = verdict.rfind(" | ");
    if (bar != std::string_view::npos) verdict.remove_prefix(bar + 3);
    if (verdict.find_first_of("0123456789") != 0) return std::string(verdict);
    const std::size_t close = verdict.rfind('"');
    return std::string(verdict.substr(0, close == std::string_view::npos ? 3 : close + 1));
}

std::string text(const result<response>& r) {
    if (!r.has_value()) return r.error().code().message();
    std::string out = std::to_string(r->status());
    if (!r->body().empty()) out += " \"" + cases::escape(r->body()) + "\"";
    return out;
}

}  // namespace

TEST_CASE("a get sends what it must and gives the whole response") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c;
        auto serving = rondo::spawn(answer(l, list("HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 5\r\n\r\nhello")));
        const response r = co_await c.get(url(l, "/path?q=1"));
        CHECK(r.status() == 200);
        CHECK(r.header("x") == "y");
        CHECK(r.body() == "hello");
        CHECK(c.idle_connections() == 1);
        c = client();
        const std::vector<std::string> sent = co_await serving.join();
        CHECK(sent[0] == "GET /path?q=1 HTTP/1.1\r\nHost: " + l.local().to_string() + "\r\n\r\n");
        CHECK(sent[1].empty());
    };
    peers::run(body);
}

TEST_CASE("every response case is read from the wire as from the codec, and only clean connections are kept") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        for (const auto& row : cases::read("responses.tsv", 5)) {
            INFO(row[0]);
            client c;
            auto serving = rondo::spawn(answer_and_close(l, list(cases::unescape(row[2]))));
            const method asked = rondo::http::parse_method(row[1]).value();
            const result<response> r = co_await rondo::as_result(c.send(url(l), request(asked)));

            const std::string verdict = cases::plain(row[3]);
            CHECK(text(r) == last_of(verdict));
            const bool unclean = has(verdict, " until close") || has(verdict, " then close") || has(verdict, " more");
            if (unclean || !r.has_value()) CHECK(c.connections() == 0);
            else CHECK(c.idle_connections() == 1);
            co_await serving.join();
        }
    };
    peers::run(body);
}

TEST_CASE("a deadline covers the body, and what it cuts off is not reused") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c;
        auto serving = rondo::spawn(answer(l, list("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")));
        const result<response> r = co_await rondo::as_result(rondo::with_timeout(30ms, c.get(url(l))));
        CHECK(failed(r, make_error_code(rondo::errc::timed_out)));
        CHECK(c.connections() == 0);
        const std::vector<std::string> sent = co_await serving.join();  // ends because the client closed
        CHECK(sent.size() == 2);
    };
    peers::run(body);
}

TEST_CASE("a cancelled request closes its connection") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c;
        auto serving = rondo::spawn(answer(l, list("")));
        auto asking = rondo::spawn(c.get(url(l)), "asking");
        co_await until([&] { return c.connections() == 1; });
        co_await rondo::sleep_for(1ms);
        asking.cancel();
        const result<response> r = co_await rondo::as_result(asking.join());
        CHECK(failed(r, make_error_code(rondo::errc::cancelled)));
        CHECK(c.connections() == 0);
        co_await serving.join();
    };
    peers::run(body);
}

TEST_CASE("interim responses have an end, and 101 is not one of them") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c(client_options().max_interim(2));
        std::string interim = "HTTP/1.1 103 Early Hints\r\n\r\n";
        auto two = rondo::spawn(answer(l, list(interim + interim + hi)));
        const response r = co_await c.get(url(l));
        CHECK(r.body() == "hi");
        c = client(client_options().max_interim(2));
        co_await two.join();

        auto three = rondo::spawn(answer(l, list(interim + interim + interim + hi)));
        const result<response> many = co_await rondo::as_result(c.get(url(l)));
        CHECK(failed(many, errc::too_many_interim));
        co_await three.join();

        auto upgrade = rondo::spawn(answer(l, list("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")));
        const result<response> odd = co_await rondo::as_result(c.get(url(l)));
        CHECK(failed(odd, errc::unasked_upgrade));
        co_await upgrade.join();
        CHECK(c.connections() == 0);
    };
    peers::run(body);
}

TEST_CASE("an answer that comes before the body was sent is taken, and the connection is not") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c;
        const auto refuse = [&]() -> task<> {
            peer p = co_await peer::accept(l);
            while (!has(p.buffer, "\r\n\r\n")) p.buffer += co_await p.piece();
            co_await p.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 4\r\n\r\nlong");
            co_await rondo::sleep_for(20ms);
        };
        auto serving = rondo::spawn(refuse(), "refuse");
        const response r = co_await c.post(url(l), std::string(32 << 20, 'x'));
        CHECK(r.status() == 413);
        CHECK(r.body() == "long");
        CHECK(c.connections() == 0);
        co_await serving.join();
    };
    peers::run(body);
}

TEST_CASE("a body over the limit is an error") {
    listener l("127.0.0.1:0");
    const auto body = [&]() -> task<> {
        client c(client_options().limits(rondo::http::limits().body(4)));
        for (const char* answer_text : {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                                        "HTTP/1.1 200 OK\r\n\r\nhello"}) {
            auto serving = rondo::spawn(answer(l, list(answer_text)));
            const result<response> r = co_await rondo::as_result(c.get(url(l)));
            CHECK(failed(r, errc::body_too_large));
            co_await serving.join();
        }
        CHECK(c.connections() == 0);
    };
    peers::run(body);
}

TEST_CASE("a failure names the request and says whether it can have arrived") {
    std::string gone, where;
    {
        const listener l("127.0.0.1:0");
        gone = url(l, "/x");
        where = l.local().to_string();
    }
    const auto body = [&]() -> task<> {
        client c;
        const result<response> r = co_await rondo::as_result(c.get(gone));
        REQUIRE_FALSE(r.has_value());
        CHECK(r.error().outcome() == rondo::outcome::not_sent);
        CHECK(r.error().text() == "GET " + gone + ": connect " + where + ": Connection refused [not_sent]");
        CHECK(c.connections() == 0);
        CHECK_THROWS_AS(c.get("https://127.0.0.1/"), rondo::error);
        const result<response> bad =
            co_await rondo::as_result(c.send(gone, request(method::get).header("Host", "a b")));
        CHECK_FALSE(bad.has_value());
        CHECK(c.connections() == 0);
    };
    peers::run(body);
}
