#include <rondo/net/endpoint.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <string>

#include <rondo/error.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::net::endpoint;

namespace {

/// Why the text is refused; empty when it is not.
std::string refusal(const std::string& text) {
    try {
        const endpoint e(text);
        return {};
    } catch (const rondo::error& e) {
        CHECK(e.code() == errc::invalid_argument);
        return e.what();
    }
}

}  // namespace

TEST_CASE("an endpoint is read from text and gives the same text back") {
    struct row {
        const char* text;
        int family;
        unsigned port;
        const char* canonical;
    };
    const row rows[] = {
        {"127.0.0.1:80", AF_INET, 80, "127.0.0.1:80"},
        {"0.0.0.0:0", AF_INET, 0, "0.0.0.0:0"},
        {"localhost:8080", AF_INET, 8080, "127.0.0.1:8080"},
        {"255.255.255.255:65535", AF_INET, 65535, "255.255.255.255:65535"},
        {"[::1]:443", AF_INET6, 443, "[::1]:443"},
        {"[::]:0", AF_INET6, 0, "[::]:0"},
        {"[2001:0db8:0:0::0001]:8080", AF_INET6, 8080, "[2001:db8::1]:8080"},
        {"[::ffff:1.2.3.4]:1", AF_INET6, 1, "[::ffff:1.2.3.4]:1"},
        {"[fe80::1%lo]:9", AF_INET6, 9, "[fe80::1%lo]:9"},
        {"unix:/run/app.sock", AF_UNIX, 0, "unix:/run/app.sock"},
        {"unix:relative/path", AF_UNIX, 0, "unix:relative/path"},
        {"unix:/with:colon and space", AF_UNIX, 0, "unix:/with:colon and space"},
    };
    for (const row& r : rows) {
        INFO(r.text);
        const endpoint e(r.text);
        CHECK(e.family() == r.family);
        CHECK(e.port() == r.port);
        CHECK(e.is_unix() == (r.family == AF_UNIX));
        CHECK(e.to_string() == r.canonical);
        CHECK(static_cast<bool>(e));
        CHECK(endpoint(e.to_string()) == e);
        CHECK(endpoint(e.address(), e.size()) == e);
    }
    CHECK(endpoint("unix:/a").path() == "/a");
    CHECK(endpoint("1.2.3.4:5").path().empty());
}

TEST_CASE("what is no endpoint is refused, and the error names the text") {
    const char* const texts[] = {
        "",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:65536",
        "127.0.0.1:-1",
        "127.0.0.1: 80",
        ":80",
        "127.0.0.1:80 ",
        "127.0.0.1:0x50",
        "127.0.0.1:+80",
        "256.0.0.1:80",
        "1.2.3:80",
        "01.2.3.4:1",
        "localhost.:80",
        "localhos:80",
        "::1:80",
        "[::1]",
        "[::1]:",
        "[::1]80",
        "[::1:80",
        "[]:80",
        "[1.2.3.4]:80",
        "[::g]:80",
        "[::1]:99999",
        "[::1]:80x",
        "unix:",
        "[fe80::1%]:80",
        "1.2.3.4:80:90",
        "127.0.0.1:4294967376",
        "Unix:/a",
        "tcp://1.2.3.4:5",
    };
    for (const char* const text : texts) {
        INFO("'" << text << "'");
        const std::string why = refusal(text);
        CHECK(why.find("endpoint '" + std::string(text) + "'") != why.npos);
    }
    CHECK(refusal(":8080") ==
          "endpoint ':8080': invalid argument: an address is missing: for all of this machine's write 0.0.0.0:8080 or "
          "[::]:8080");
    CHECK(refusal("[fe80::1%nosuchinterface]:80").find("nosuchinterface") != std::string::npos);
}

TEST_CASE("a unix path may have 107 bytes, not more, and no NUL") {
    const std::string longest = "unix:/" + std::string(106, 'x');
    CHECK(refusal(longest).empty());
    CHECK(endpoint(longest).to_string() == longest);
    CHECK(endpoint(longest).path().size() == 107);
    CHECK(refusal(longest + "x").find("107") != std::string::npos);
    CHECK_FALSE(refusal(std::string("unix:/a\0b", 9)).empty());
}

TEST_CASE("nothing that follows a NUL is passed over") {
    for (const std::string_view text : {std::string_view("127.0.0.1\0x:80", 14), std::string_view("[::1\0x]:80", 10),
                                        std::string_view("[fe80::1%lo\0x]:80", 17)})
        CHECK(refusal(std::string(text)).find("a NUL byte") != std::string::npos);
}

TEST_CASE("a refusal holds no control characters") {
    CHECK(refusal("127.0.0.1\r\nX:80").find("endpoint '127.0.0.1?\?X:80'") != std::string::npos);
    CHECK(refusal("[::1%a\x1b\x7f]:80").find("no interface is named 'a?\?'") != std::string::npos);
}

TEST_CASE("endpoints are equal when they mean the same") {
    CHECK(endpoint("127.0.0.1:80") == endpoint(std::string("127.0.0.1:80")));
    CHECK(endpoint("[::1]:80") == endpoint("[0:0:0:0:0:0:0:1]:80"));
    CHECK_FALSE(endpoint("127.0.0.1:80") == endpoint("127.0.0.1:81"));
    CHECK_FALSE(endpoint("127.0.0.1:80") == endpoint("[::ffff:127.0.0.1]:80"));
    CHECK_FALSE(endpoint("unix:/a") == endpoint("unix:/ab"));
    CHECK(endpoint() == endpoint());
}

TEST_CASE("a default endpoint is empty") {
    const endpoint e;
    CHECK_FALSE(static_cast<bool>(e));
    CHECK(e.to_string().empty());
    CHECK(e.port() == 0);
    CHECK_FALSE(e.is_unix());
    CHECK(e.family() == AF_UNSPEC);
}

TEST_CASE("an unnamed unix socket has an empty path") {
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    const endpoint e(reinterpret_cast<const sockaddr*>(&a), sizeof a.sun_family);
    CHECK(e.is_unix());
    CHECK(e.path().empty());
    CHECK(e.to_string() == "unix:");
}
