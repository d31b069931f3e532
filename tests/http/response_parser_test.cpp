#include <rondo/http/response_parser.hpp>

#include "support/catch.hpp"
#include "transcript.hpp"

namespace {

struct row {
    std::string name;
    rondo::http::method asked;
    std::string raw, verdict;
};

std::vector<row> rows() {
    std::vector<row> all;
    for (const auto& r : cases::read("responses.tsv", 5))
        all.push_back({r[0], rondo::http::parse_method(r[1]).value(), cases::unescape(r[2]), cases::plain(r[3])});
    return all;
}

}  // namespace

TEST_CASE("every response case has its verdict when it comes in one piece") {
    for (const row& r : rows()) {
        INFO(r.name);
        transcript::response t(r.asked);
        t.feed(r.raw);
        CHECK(t.close() == r.verdict);
    }
}

TEST_CASE("every response case has the same verdict byte by byte") {
    for (const row& r : rows()) {
        INFO(r.name);
        transcript::response t(r.asked);
        for (std::size_t i = 0; i < r.raw.size(); ++i) t.feed(std::string_view(r.raw).substr(i, 1));
        CHECK(t.close() == r.verdict);
    }
}

TEST_CASE("every response case has the same verdict when it is split in two anywhere") {
    for (const row& r : rows()) {
        const std::size_t step = r.raw.size() < 1000 ? 1 : 997;
        for (std::size_t at = 0; at <= r.raw.size(); at += step) {
            INFO(r.name << ", at " << at);
            transcript::response t(r.asked);
            t.feed(std::string_view(r.raw).substr(0, at));
            t.feed(std::string_view(r.raw).substr(at));
            const std::string verdict = t.close();
            if (verdict != r.verdict) FAIL_CHECK(verdict << " instead of " << r.verdict);
        }
    }
}

TEST_CASE("a response parser stops after the head and says how the body ends") {
    rondo::http::response_parser p(rondo::http::method::get);
    const std::string head = "HTTP/1.1 201 Created\r\nContent-Length: 3\r\nX: y\r\n\r\n";

    CHECK(p.feed(head + "abc") == head.size());

    REQUIRE(p.done());
    CHECK(p.response().status() == 201);
    CHECK(p.response().header("x") == "y");
    CHECK(p.framing() == rondo::http::framing{rondo::http::framing::kind::length, 3});
    CHECK(p.keep_alive());
}

TEST_CASE("an interim response has no body, whatever its fields say") {
    for (const char* const field : {"Content-Length: 5", "Transfer-Encoding: chunked"}) {
        rondo::http::response_parser p(rondo::http::method::get);
        p.feed(std::string("HTTP/1.1 103 Early Hints\r\n") + field + "\r\n\r\n");
        REQUIRE(p.done());
        CHECK(p.framing() == rondo::http::framing());
    }
}

TEST_CASE("a failed response parser takes nothing more") {
    rondo::http::response_parser p(rondo::http::method::get);
    p.feed("ICY 200 OK\r\n");
    REQUIRE(p.error() == rondo::http::errc::bad_status_line);
    CHECK(p.feed("HTTP/1.1 200 OK\r\n\r\n") == 0);
}
