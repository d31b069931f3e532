#include <rondo/http/request_writer.hpp>

#include <rondo/http/error.hpp>

#include "support/catch.hpp"
#include "transcript.hpp"

using rondo::http::errc;
using rondo::http::method;
using rondo::http::request;
using rondo::http::request_writer;

namespace {

std::string whole(const request& r) {
    std::string out;
    request_writer("a:81").whole(out, r);
    return out;
}

std::string read_back(const std::string& raw) {
    transcript::requests t;
    t.feed(raw);
    return t.text();
}

bool refused(errc code, const request& r) {
    std::string out;
    try {
        request_writer("a:81").whole(out, r);
    } catch (const rondo::error& e) {
        return e.code() == code && out.empty();
    }
    return false;
}

}  // namespace

TEST_CASE("a get is as short as it can be") {
    CHECK(whole(request(method::get, "/x?y")) == "GET /x?y HTTP/1.1\r\nHost: a:81\r\n\r\n");
    CHECK(whole(request(method::options, "*")) == "OPTIONS * HTTP/1.1\r\nHost: a:81\r\n\r\n");
}

TEST_CASE("content has a length, and a method that means to send content says so when there is none") {
    CHECK(whole(request(method::post, "/").body("hi")) ==
          "POST / HTTP/1.1\r\nHost: a:81\r\nContent-Length: 2\r\n\r\nhi");
    CHECK(whole(request(method::put, "/")) == "PUT / HTTP/1.1\r\nHost: a:81\r\nContent-Length: 0\r\n\r\n");
    CHECK(read_back(whole(request(method::get, "/").body("hi"))) == "GET / \"hi\"");
}

TEST_CASE("framing and connection fields of the caller never reach the wire, but for close") {
    request r(method::post, "/");
    r.body("hi").header("Content-Length", "99").header("Transfer-Encoding", "chunked").header("Upgrade", "h2c");
    r.header("Connection", "close, upgrade").header("Accept", "*/*");
    CHECK(whole(r) ==
          "POST / HTTP/1.1\r\nHost: a:81\r\nAccept: */*\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi");
}

TEST_CASE("a host of the caller takes the place of the one of the connection") {
    CHECK(whole(request(method::get).header("host", "b")) == "GET / HTTP/1.1\r\nHost: b\r\n\r\n");
    CHECK(refused(errc::bad_header, request(method::get).header("Host", "b").header("Host", "c")));
    CHECK(refused(errc::bad_header, request(method::get).header("Host", "b/c")));
    CHECK(refused(errc::bad_header, request(method::get).header("Host", "")));
}

TEST_CASE("a target that could break the request line apart is refused") {
    for (const char* target : {"", "x", "*", "/a b", "/a\r\nX: y", "/#f", "/\xc3\xa9", "/\\", "http://b/"})
        CHECK(refused(errc::bad_target, request(method::get, target)));
    CHECK(refused(errc::bad_header, request(method::trace).body("x")));
}

TEST_CASE("a request body can be written in pieces") {
    std::string out;
    request_writer w("a");
    w.head(out, request(method::post), std::nullopt);
    w.body(out, "he");
    w.body(out, "llo");
    w.end(out, rondo::http::headers().add("Sum", "1"));
    CHECK(read_back(out) == "POST / \"hello\" {Sum: 1}");

    request trailing(method::post);
    trailing.body("hi").trailers().add("Sum", "1");
    CHECK(read_back(whole(trailing)) == "POST / \"hi\" {Sum: 1}");
}
