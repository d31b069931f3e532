#include <rondo/http/request_parser.hpp>

#include "support/catch.hpp"
#include "transcript.hpp"

namespace {

std::string whole(std::string_view raw) {
    transcript::requests r;
    r.feed(raw);
    return r.text();
}

std::string byte_by_byte(std::string_view raw) {
    transcript::requests r;
    for (std::size_t i = 0; i < raw.size(); ++i) r.feed(raw.substr(i, 1));
    return r.text();
}

std::string split_at(std::string_view raw, std::size_t at) {
    transcript::requests r;
    r.feed(raw.substr(0, at));
    r.feed(raw.substr(at));
    return r.text();
}

struct row {
    std::string name, raw, verdict;
};

std::vector<row> rows() {
    std::vector<row> all;
    for (const auto& r : cases::read("requests.tsv", 4))
        all.push_back({r[0], cases::unescape(r[1]), cases::plain(r[2])});
    return all;
}

bool is_final(const std::string& verdict) {
    const std::size_t last = verdict.rfind(" | ");
    const std::string item = last == std::string::npos ? verdict : verdict.substr(last + 3);
    return item == "close" || item == "more" || (item.front() >= '0' && item.front() <= '9');
}

constexpr const char* before = "GET /before HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr const char* after = "GET /after HTTP/1.1\r\nHost: a\r\n\r\n";

}  // namespace

TEST_CASE("every request case has its verdict when it comes in one piece") {
    for (const row& r : rows()) {
        INFO(r.name);
        CHECK(whole(r.raw) == r.verdict);
    }
}

TEST_CASE("every request case has the same verdict byte by byte") {
    for (const row& r : rows()) {
        INFO(r.name);
        CHECK(byte_by_byte(r.raw) == r.verdict);
    }
}

TEST_CASE("every request case has the same verdict when it is split in two anywhere") {
    for (const row& r : rows()) {
        // The long ones differ from their neighbours only in length: they are split around their ends.
        const std::size_t step = r.raw.size() < 1000 ? 1 : 997;
        for (std::size_t at = 0; at <= r.raw.size(); at += step) {
            INFO(r.name << ", at " << at);
            const std::string verdict = split_at(r.raw, at);
            if (verdict != r.verdict) FAIL_CHECK(verdict << " instead of " << r.verdict);
        }
    }
}

TEST_CASE("every request case has the same verdict behind another request") {
    for (const row& r : rows()) {
        if (r.raw.starts_with("\r\n\r\n")) continue;  // one empty line between requests is allowed for
        INFO(r.name);
        CHECK(whole(before + r.raw) == "GET /before | " + r.verdict);
        CHECK(byte_by_byte(before + r.raw) == "GET /before | " + r.verdict);
    }
}

TEST_CASE("a request behind an accepted case is read, and behind a refused one is not") {
    for (const row& r : rows()) {
        if (r.verdict == "more" || r.verdict.ends_with("| more")) continue;
        INFO(r.name);
        const std::string expected = is_final(r.verdict) ? r.verdict : r.verdict + " | GET /after";
        CHECK(whole(r.raw + after) == expected);
        CHECK(byte_by_byte(r.raw + after) == expected);
    }
}

TEST_CASE("a parsed request keeps the order, the case and the bytes of its fields") {
    rondo::http::request_parser p;
    const std::string head =
        "GET /x?y=1&z HTTP/1.1\r\nHost: a\r\nX-One:  1 \r\nx-one: 2\r\nEmpty:\r\nRaw: \xff\xfe\r\n\r\n";

    CHECK(p.feed(head + "rest") == head.size());

    REQUIRE(p.done());
    const rondo::http::request& r = p.request();
    CHECK(r.path() == "/x");
    CHECK(r.query() == "y=1&z");
    CHECK(transcript::fields(r.headers()) == "Host: a, X-One: 1, x-one: 2, Empty: , Raw: \\xff\\xfe");
    CHECK(r.header("X-ONE") == "1");
}

TEST_CASE("reset makes a request parser as good as new") {
    rondo::http::request_parser p;
    p.feed("POST http://a/x HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\n");
    REQUIRE(p.done());
    REQUIRE(p.keep_alive());
    REQUIRE(p.version() == rondo::http::version::http_1_0);
    p.request().body() = "abc";

    p.reset();
    CHECK_FALSE(p.started());
    p.feed("GET / HTTP/1.1\r\nHost: b\r\n\r\n");

    REQUIRE(p.done());
    CHECK(p.request().method() == rondo::http::method::get);
    CHECK(p.request().target() == "/");
    CHECK(p.request().headers().size() == 1);
    CHECK(p.request().body().empty());
    CHECK(p.framing() == rondo::http::framing());
    CHECK(p.version() == rondo::http::version::http_1_1);
}

TEST_CASE("a failed request parser takes nothing more") {
    rondo::http::request_parser p;
    p.feed("GET / HTTP/1.1\r\n\r\n");
    REQUIRE(p.failed());

    CHECK(p.feed("Host: a\r\n\r\n") == 0);
    CHECK(p.error() == rondo::http::errc::bad_host);
    CHECK_FALSE(p.keep_alive());
}

TEST_CASE("an endless method is refused at the same byte however it is cut") {
    for (const std::size_t first : {1u, 24u, 25u, 60u}) {
        rondo::http::request_parser p;
        const std::string method(60, 'A');
        std::size_t used = p.feed(std::string_view(method).substr(0, first));
        if (!p.failed()) used += p.feed(std::string_view(method).substr(first));
        CHECK(p.error() == rondo::http::errc::unknown_method);
        CHECK(used == 25);
    }
}

TEST_CASE("an idle connection is told from one in the middle of a head") {
    rondo::http::request_parser p;
    CHECK_FALSE(p.started());
    p.feed("\r\n");
    CHECK_FALSE(p.started());
    p.feed("G");
    CHECK(p.started());
}

TEST_CASE("the limits of a request parser are those it was given") {
    const rondo::http::limits small = rondo::http::limits().start_line(20).head(40).fields(2);
    rondo::http::request_parser fits(small);
    fits.feed("GET /1234 HTTP/1.1\r\nHost: a\r\nB: 12345\r\n\r\n");
    CHECK(fits.error() == rondo::http::errc::head_too_large);
    rondo::http::request_parser line(small);
    line.feed("GET /12345 HTTP/1.1\r\n");
    CHECK(line.error() == rondo::http::errc::target_too_long);
    rondo::http::request_parser count(rondo::http::limits().fields(2));
    count.feed("GET / HTTP/1.1\r\nA: 1\r\nHost: a\r\nC");
    CHECK(count.error() == rondo::http::errc::too_many_fields);
}
