#include <rondo/http/headers.hpp>

#include <rondo/http/error.hpp>

#include "support/catch.hpp"
#include "transcript.hpp"

using rondo::http::headers;
using transcript::fields;

namespace {

bool refused(std::string_view name, std::string_view value) {
    headers h;
    h.add("Kept", "1");
    try {
        h.add(name, value);
    } catch (const rondo::error& e) {
        return e.code() == rondo::http::errc::bad_header && fields(h) == "Kept: 1";
    }
    return false;
}

}  // namespace

TEST_CASE("headers keep order and case, and compare names without it") {
    headers h;
    h.add("Content-Type", "text/plain").add("Vary", "Accept").add("vary", "Cookie");

    CHECK(fields(h) == "Content-Type: text/plain, Vary: Accept, vary: Cookie");
    CHECK(h.get("content-TYPE") == "text/plain");
    CHECK(h.get("VARY") == "Accept");
    CHECK(h.count("vary") == 2);
    CHECK(h.joined("vary") == "Accept, Cookie");
    CHECK_FALSE(h.get("content-typ"));
    CHECK(h.joined("nothing").empty());
}

TEST_CASE("set replaces every field of its name in the place of the first") {
    headers h;
    h.add("A", "1").add("b", "2").add("a", "3").add("C", "4");
    h.set("a", "5");
    CHECK(fields(h) == "a: 5, b: 2, C: 4");
    h.set("D", "6");
    CHECK(fields(h) == "a: 5, b: 2, C: 4, D: 6");
}

TEST_CASE("remove says how many fields there were") {
    headers h;
    h.add("A", "1").add("b", "2").add("a", "3");
    CHECK(h.remove("a") == 2);
    CHECK(h.remove("a") == 0);
    CHECK(fields(h) == "b: 2");
    h.clear();
    CHECK(h.empty());
}

TEST_CASE("nothing that could break a message apart gets into headers") {
    CHECK(refused("X", "a\r\nSmuggled: b"));
    CHECK(refused("X", "a\nb"));
    CHECK(refused("X", "a\rb"));
    CHECK(refused("X", std::string_view("a\0b", 3)));
    CHECK(refused("X", "a\x7f"));
    CHECK(refused("", "a"));
    CHECK(refused("X Y", "a"));
    CHECK(refused("X:", "a"));
    CHECK(refused("X\r\nY", "a"));
    CHECK(refused("X\xe9", "a"));
    CHECK_FALSE(refused("X", "a\tb \x80\xff"));
}

TEST_CASE("a refused header is named without its control characters") {
    headers h;
    try {
        h.add("Bad\r\nName", "x");
        FAIL("not refused");
    } catch (const rondo::error& e) {
        CHECK(std::string(e.what()).find("Bad??Name") != std::string::npos);
    }
}

TEST_CASE("white space around a value is dropped") {
    headers h;
    h.add("X", " \t a b \t");
    CHECK(h.get("x") == "a b");
}

TEST_CASE("a field may be copied from the headers it is added to") {
    headers h;
    h.add("Name", "Value");
    for (int i = 0; i < 100; ++i) h.add(h[0].name, h[0].value);
    for (const headers::field f : h) CHECK(f == headers::field{"Name", "Value"});
    h.set(h[0].value, h[0].name);
    h.set(h[100].name, h[0].value);
    CHECK(h.get("value") == "Name");
    CHECK(h.count("name") == 1);
}

TEST_CASE("a token is found in any list of its name") {
    headers h;
    h.add("Connection", "upgrade ,\tClose").add("connection", "x-y");
    CHECK(h.lists("Connection", "close"));
    CHECK(h.lists("Connection", "Upgrade"));
    CHECK(h.lists("Connection", "X-Y"));
    CHECK_FALSE(h.lists("Connection", "x"));
    CHECK_FALSE(h.lists("Connect", "close"));
}
