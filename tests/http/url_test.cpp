#include <rondo/http/url.hpp>

#include <rondo/http/error.hpp>

#include "support/catch.hpp"

using rondo::http::errc;
using rondo::http::url;

namespace {

std::string refusal(const char* text, errc code) {
    try {
        const url u(text);
        return "accepted as " + u.to_string();
    } catch (const rondo::error& e) {
        return e.code() == code ? e.what() : std::string("other code: ") + e.what();
    }
}

bool refused(const char* text, errc code) { return refusal(text, code).starts_with("URL \""); }

}  // namespace

TEST_CASE("a url says where to connect and what to ask for") {
    const url u("http://127.0.0.1:8080/path?q=1#part");
    CHECK(u.host() == "127.0.0.1");
    CHECK(u.port() == 8080);
    CHECK(u.target() == "/path?q=1");
    CHECK(u.authority() == "127.0.0.1:8080");
    CHECK(u.endpoint() == "127.0.0.1:8080");
    CHECK(u.to_string() == "http://127.0.0.1:8080/path?q=1");
}

TEST_CASE("what a url leaves out has its default") {
    CHECK(url("http://127.0.0.1").target() == "/");
    CHECK(url("http://127.0.0.1").port() == 80);
    CHECK(url("http://127.0.0.1:").port() == 80);
    CHECK(url("http://127.0.0.1:80").authority() == "127.0.0.1");
    CHECK(url("http://127.0.0.1?x").target() == "/?x");
    CHECK(url("http://127.0.0.1#x").target() == "/");
}

TEST_CASE("localhost is 127.0.0.1 and keeps its name for the Host field") {
    const url u("HTTP://LocalHost:81/X");
    CHECK(u.endpoint() == "127.0.0.1:81");
    CHECK(u.authority() == "localhost:81");
    CHECK(u.target() == "/X");
}

TEST_CASE("an IPv6 address stands in brackets") {
    const url u("http://[::1]:81/");
    CHECK(u.endpoint() == "[::1]:81");
    CHECK(u.authority() == "[::1]:81");
    CHECK(url("http://[2001:DB8::1]").endpoint() == "[2001:db8::1]:80");
}

TEST_CASE("only what is an IPv6 address stands in brackets") {
    for (const char* good : {"[::]", "[1::]", "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]",
                             "[::1.2.3.4]", "[1:2:3:4:5:6:1.2.3.4]", "[FFFF::ffff]"})
        CHECK(url(std::string("http://") + good).authority().size() == std::string_view(good).size());
    for (const char* bad : {"[]", "[:]", "[:::]", "[1]", "[1:]", "[:1]", "[1:::2]", "[1::2::3]", "[1:2:3:4:5:6:7]",
                            "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4::5:6:7:8]", "[12345::]", "[g::]", "[::1.2.3]",
                            "[::1.2.3.256]", "[1.2.3.4::]", "[1.2.3.4]", "[1:2:3:4:5:6:7:1.2.3.4]", "[::1%25lo]"}) {
        INFO(bad);
        CHECK(refused((std::string("http://") + bad + "/").c_str(), errc::bad_url));
    }
}

TEST_CASE("a url that cannot be used says why") {
    CHECK(refused("https://127.0.0.1/", errc::unsupported_scheme));
    CHECK(refused("ftp://127.0.0.1/", errc::unsupported_scheme));
    CHECK(refused("http://example.com/", errc::unresolvable_host));
    CHECK(refused("http://1.2.3/", errc::unresolvable_host));
    CHECK(refused("http://256.1.1.1/", errc::unresolvable_host));
    CHECK(refused("http://01.2.3.4/", errc::unresolvable_host));
    CHECK(refused("http://1.2.3.4.5/", errc::unresolvable_host));
    for (const char* bad : {"", "/x", "127.0.0.1/x", "http:/127.0.0.1", "http://", "http:///x", "http://127.0.0.1:x/",
                            "http://127.0.0.1:70000/", "http://127.0.0.1:0/", "http://[::1/", "http://127.0.0.1/a b",
                            "http://127.0.0.1/\r\nX: y", "http://127.0.0.1/\xc3\xa9", "http://a b/"})
        CHECK(refused(bad, errc::bad_url));
    CHECK(refusal("http://example.com/", errc::unresolvable_host) ==
          "URL \"http://example.com/\": host names need a resolver; use a literal address or localhost");
}

TEST_CASE("the password of a url is not shown when it is refused") {
    const std::string text = refusal("http://user:secret@127.0.0.1/x?y@z", errc::bad_url);
    CHECK(text.find("secret") == std::string::npos);
    CHECK(text.find("127.0.0.1/x?y@z") != std::string::npos);
    CHECK(refusal("http//user:secret@127.0.0.1/", errc::bad_url).find("secret") == std::string::npos);
    CHECK(refusal("http//user:secret@127.0.0.1/http://", errc::unsupported_scheme).find("secret") == std::string::npos);
    CHECK(refusal("user:secret@127.0.0.1/", errc::bad_url).find("secret") == std::string::npos);
}
