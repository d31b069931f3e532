#include <rondo/http/response_writer.hpp>

#include <rondo/http/date.hpp>
#include <rondo/http/error.hpp>

#include "support/catch.hpp"
#include "transcript.hpp"

using rondo::http::errc;
using rondo::http::headers;
using rondo::http::method;
using rondo::http::response;
using rondo::http::response_writer;
using rondo::http::version;

namespace {

constexpr const char* date = "Sun, 06 Nov 1994 08:49:37 GMT";

std::string whole(const response& r, method asked = method::get, version peer = version::http_1_1,
                  bool keep_alive = true) {
    std::string out;
    response_writer(asked, peer, keep_alive, date).whole(out, r);
    return out;
}

std::string read_back(const std::string& raw, method asked = method::get) {
    transcript::response t(asked);
    t.feed(raw);
    return t.close();
}

template <class F>
bool throws(errc code, F&& f) {
    try {
        f();
    } catch (const rondo::error& e) {
        return e.code() == code;
    }
    return false;
}

}  // namespace

TEST_CASE("a response has its length, the date and nothing else added") {
    CHECK(whole(response(200, "hi").header("X", "y")) ==
          "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nX: y\r\nContent-Length: 2\r\n\r\nhi");
    CHECK(whole(response(299)) == "HTTP/1.1 299 \r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("the date of the application is kept") {
    CHECK(whole(response(200).header("date", "x")) == "HTTP/1.1 200 OK\r\ndate: x\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("framing and connection fields of the application never reach the wire") {
    response r(200, "hi");
    r.header("Content-Length", "99").header("Transfer-Encoding", "chunked").header("Keep-Alive", "timeout=5");
    r.header("Connection", "upgrade").header("Upgrade", "h2c").header("TE", "trailers").header("Trailer", "X");
    CHECK(whole(r) == "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 2\r\n\r\nhi");
}

TEST_CASE("head, 204, 205 and 304 send no body, whatever the application gave") {
    CHECK(read_back(whole(response(200, "hello"), method::head), method::head) == "200");
    CHECK(whole(response(200, "hello"), method::head).ends_with("Content-Length: 5\r\n\r\n"));
    for (const int status : {204, 304}) {
        const std::string raw = whole(response(status, "hello").header("Content-Length", "5"));
        CHECK(raw.find("ength") == std::string::npos);
        CHECK(read_back(raw) == std::to_string(status));
    }
    CHECK(whole(response(205, "hello")).ends_with("Content-Length: 0\r\n\r\n"));
}

TEST_CASE("the connection field says what the client needs to hear") {
    const auto has = [](const std::string& raw, const char* text) { return raw.find(text) != std::string::npos; };
    CHECK_FALSE(has(whole(response(200)), "Connection"));
    CHECK(has(whole(response(200), method::get, version::http_1_0), "\r\nConnection: keep-alive\r\n"));
    CHECK(has(whole(response(200), method::get, version::http_1_1, false), "\r\nConnection: close\r\n"));
    CHECK(has(whole(response(200), method::get, version::http_1_0, false), "\r\nConnection: close\r\n"));
    CHECK(whole(response(200), method::get, version::http_1_0).starts_with("HTTP/1.1 200 OK\r\n"));

    response_writer w(method::get, version::http_1_1, true, date);
    std::string out;
    w.whole(out, response(200).header("Connection", "close"));
    CHECK_FALSE(w.keep_alive());
    CHECK(has(out, "\r\nConnection: close\r\n"));
}

TEST_CASE("a body of unknown length is chunked for 1.1 and ends the connection for 1.0") {
    std::string out;
    response_writer w(method::get, version::http_1_1, true, date);
    w.head(out, response(200), std::nullopt);
    w.body(out, "hello");
    w.body(out, "");
    w.body(out, "0123456789abcdefg");
    w.end(out, headers().add("Sum", "1"));
    CHECK(out.ends_with(
        "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n11\r\n0123456789abcdefg\r\n0\r\nSum: 1\r\n\r\n"));
    CHECK(w.keep_alive());
    CHECK(read_back(out) == "200 \"hello0123456789abcdefg\" {Sum: 1}");

    out.clear();
    response_writer old(method::get, version::http_1_0, true, date);
    old.head(out, response(200), std::nullopt);
    old.body(out, "hello");
    old.end(out);
    CHECK_FALSE(old.keep_alive());
    CHECK(out.ends_with("\r\nConnection: close\r\n\r\nhello"));
}

TEST_CASE("trailers go to those who can take them") {
    response r(200, "hi");
    r.trailers().add("Sum", "1");
    CHECK(read_back(whole(r)) == "200 \"hi\" {Sum: 1}");
    CHECK(read_back(whole(r, method::get, version::http_1_0)) == "200 \"hi\"");
    CHECK(read_back(whole(r, method::head), method::head) == "200");
}

TEST_CASE("a trailer that would change the message is refused") {
    std::string out;
    for (const char* name : {"Content-Length", "transfer-encoding", "Host", "Authorization", "Content-Type"}) {
        response_writer w(method::get, version::http_1_1, true, date);
        w.head(out, response(200), std::nullopt);
        CHECK(throws(errc::bad_header, [&] { w.end(out, headers().add(name, "1")); }));
        CHECK_FALSE(w.keep_alive());
    }
}

TEST_CASE("more or fewer bytes than declared end the connection and are reported") {
    std::string out;
    response_writer more(method::get, version::http_1_1, true, date);
    more.head(out, response(200), 3);
    more.body(out, "ab");
    const std::size_t size = out.size();
    CHECK(throws(errc::body_length_mismatch, [&] { more.body(out, "cd"); }));
    CHECK(out.size() == size);
    CHECK_FALSE(more.keep_alive());

    response_writer fewer(method::get, version::http_1_1, true, date);
    fewer.head(out, response(200), 3);
    fewer.body(out, "ab");
    CHECK(throws(errc::body_length_mismatch, [&] { fewer.end(out); }));
    CHECK_FALSE(fewer.keep_alive());

    response_writer late(method::get, version::http_1_1, true, date);
    late.whole(out, response(200));
    CHECK(throws(errc::body_length_mismatch, [&] { late.body(out, "x"); }));
}

TEST_CASE("an interim status is no answer, and no interim goes to a 1.0 client") {
    std::string out;
    response_writer w(method::get, version::http_1_1, true, date);
    for (const int status : {100, 101, 199, 0, -1, 1000})
        CHECK(throws(errc::bad_status, [&] { w.whole(out, response(status)); }));
    CHECK(out.empty());
    CHECK(throws(errc::bad_status, [&] { w.interim(out, 200); }));
    w.interim(out, 100);
    CHECK(out == "HTTP/1.1 100 Continue\r\n\r\n");
    out.clear();
    response_writer(method::get, version::http_1_0, true, date).interim(out, 100);
    CHECK(out.empty());
}

TEST_CASE("a date is written as HTTP wants it") {
    CHECK(rondo::http::http_date(784111777) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(rondo::http::http_date(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
    CHECK(rondo::http::http_date(1709164799) == "Wed, 28 Feb 2024 23:59:59 GMT");
    CHECK(rondo::http::http_date(1709164800) == "Thu, 29 Feb 2024 00:00:00 GMT");
}
