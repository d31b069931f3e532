#include <rondo/redis/convert.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <rondo/redis/parser.hpp>

#include "part_of.hpp"
#include "support/catch.hpp"

namespace redis = rondo::redis;
using redis::convert;
using redis::kind;
using redis::value;

namespace {

// The value that these bytes spell.
value reply(std::string_view bytes) {
    redis::parser p;
    value v;
    p.feed(bytes);
    const auto e = p.next(v);
    REQUIRE(e == redis::parser::event::reply);
    return v;
}

template <class T>
std::string why(value v) {
    auto r = convert<T>(std::move(v), "CMD");
    return r ? std::string("converted") : r.error().text();
}

template <class T>
T as(std::string_view bytes) {
    return convert<T>(reply(bytes), "CMD").value();
}

}  // namespace

TEST_CASE("strings come from every text kind and from integers") {
    CHECK(as<std::string>("$1\r\na\r\n") == "a");
    CHECK(as<std::string>("+OK\r\n") == "OK");
    CHECK(as<std::string>("=5\r\ntxt:a\r\n") == "a");
    CHECK(as<std::string>(":12\r\n") == "12");
    CHECK(as<std::string>("(123456789012345678901\r\n") == "123456789012345678901");
    CHECK(why<std::string>(value()) == "CMD: reply does not convert: wanted string, got null");
    CHECK(why<std::string>(reply("*1\r\n:1\r\n")) == "CMD: reply does not convert: wanted string, got array [1]");
}

TEST_CASE("integers are checked against the range of their type") {
    CHECK(as<int>(":-5\r\n") == -5);
    CHECK(as<int>("$2\r\n42\r\n") == 42);
    CHECK(as<std::uint8_t>(":255\r\n") == 255);
    CHECK(why<std::uint8_t>(value::integer(256)) ==
          "CMD: reply does not convert: wanted integer of the asked size, got big number (256");
    CHECK_PART(why<std::uint8_t>(value::integer(-1)), "wanted unsigned integer");
    CHECK(as<std::int64_t>(":-9223372036854775808\r\n") == std::numeric_limits<std::int64_t>::min());
    CHECK(as<std::uint64_t>("$20\r\n18446744073709551615\r\n") == std::numeric_limits<std::uint64_t>::max());
    CHECK(as<std::uint64_t>("(18446744073709551615\r\n") == std::numeric_limits<std::uint64_t>::max());
    CHECK_PART(why<std::int64_t>(reply("(18446744073709551615\r\n")), "wanted integer");
    for (const char* text : {"", "4x", "x", " 4", "4 ", "4.0", "+4", "0x4"}) {
        INFO(text);
        CHECK_PART(why<int>(value::string(text)), "wanted integer, got string");
    }
}

TEST_CASE("doubles come from doubles, integers and text") {
    CHECK(as<double>(",1.5\r\n") == 1.5);
    CHECK(as<double>(":2\r\n") == 2);
    CHECK(as<double>("$4\r\n1.25\r\n") == 1.25);
    CHECK(as<double>("$3\r\ninf\r\n") == std::numeric_limits<double>::infinity());
    CHECK(std::isnan(as<double>("$3\r\nnan\r\n")));
    CHECK(as<float>(",0.5\r\n") == 0.5F);
    CHECK_PART(why<double>(value::string("1,5")), "wanted double");
}

TEST_CASE("booleans come from booleans, 0 and 1, OK and null") {
    CHECK(as<bool>("#t\r\n"));
    CHECK_FALSE(as<bool>("#f\r\n"));
    CHECK(as<bool>(":1\r\n"));
    CHECK_FALSE(as<bool>(":0\r\n"));
    CHECK(as<bool>("+OK\r\n"));
    CHECK_FALSE(as<bool>("_\r\n"));
    CHECK_PART(why<bool>(value::integer(2)), "wanted boolean, got integer 2");
    CHECK_PART(why<bool>(value::simple("QUEUED")), "got status +QUEUED");
}

TEST_CASE("null is nullopt and nothing else is") {
    CHECK(as<std::optional<int>>("_\r\n") == std::nullopt);
    CHECK(as<std::optional<int>>("$-1\r\n") == std::nullopt);
    CHECK(as<std::optional<int>>(":0\r\n") == 0);
    CHECK(as<std::optional<std::string>>("$0\r\n\r\n") == "");
    CHECK_PART(why<std::optional<int>>(value::string("x")), "wanted integer");
}

TEST_CASE("vectors come from arrays and sets") {
    CHECK(as<std::vector<int>>("*2\r\n:1\r\n$1\r\n2\r\n") == std::vector<int>{1, 2});
    CHECK(as<std::vector<int>>("~1\r\n:1\r\n") == std::vector<int>{1});
    CHECK(as<std::vector<std::optional<int>>>("*2\r\n:1\r\n_\r\n") == std::vector<std::optional<int>>{1, {}});
    CHECK(as<std::vector<std::vector<int>>>("*2\r\n*0\r\n*1\r\n:7\r\n") == std::vector<std::vector<int>>{{}, {7}});
    CHECK_PART(why<std::vector<int>>(value()), "wanted array, got null");
    CHECK_PART(why<std::vector<int>>(reply("*2\r\n:1\r\n+x\r\n")), "got status +x");
}

TEST_CASE("maps come from the shapes of both protocols") {
    const std::map<std::string, int> expected{{"a", 1}, {"b", 2}};
    CHECK(as<std::map<std::string, int>>("%2\r\n+a\r\n:1\r\n+b\r\n:2\r\n") == expected);
    CHECK(as<std::map<std::string, int>>("*4\r\n+a\r\n:1\r\n+b\r\n:2\r\n") == expected);
    CHECK(as<std::map<std::string, int>>("*2\r\n*2\r\n+a\r\n:1\r\n*2\r\n+b\r\n:2\r\n") == expected);
    CHECK(as<std::map<std::string, int>>("*0\r\n").empty());
    CHECK(as<std::map<std::string, int>>("%2\r\n+a\r\n:1\r\n+a\r\n:2\r\n").at("a") == 2);
    CHECK(as<std::unordered_map<std::string, int>>("%1\r\n+a\r\n:1\r\n").at("a") == 1);
    using pairs = std::vector<std::pair<std::string, double>>;
    CHECK(as<pairs>("*4\r\n+a\r\n$1\r\n1\r\n+b\r\n$3\r\n2.5\r\n") == pairs{{"a", 1}, {"b", 2.5}});
    CHECK(as<pairs>("*1\r\n*2\r\n+a\r\n,1\r\n") == pairs{{"a", 1}});
    CHECK_PART(why<pairs>(reply("*3\r\n+a\r\n+b\r\n+c\r\n")), "wanted map");
    CHECK_PART(why<pairs>(value::integer(1)), "wanted map, got integer 1");
}

TEST_CASE("pairs and tuples want exactly their number of elements") {
    using pair = std::pair<int, int>;
    CHECK(as<std::pair<std::string, int>>("*2\r\n+a\r\n:1\r\n") == std::pair<std::string, int>("a", 1));
    CHECK(as<std::tuple<int, std::string, bool>>("*3\r\n:1\r\n+x\r\n#t\r\n") == std::tuple(1, std::string("x"), true));
    CHECK_PART(why<pair>(reply("*1\r\n:1\r\n")), "wanted array of 2");
    CHECK_PART(why<std::tuple<int>>(reply("*2\r\n:1\r\n:2\r\n")), "wanted array of 1");
    CHECK_PART(why<pair>(value()), "wanted array of 2, got null");
}

TEST_CASE("a value takes anything, void throws anything away, but neither takes a server error") {
    CHECK(to_string(as<value>("*2\r\n:1\r\n-ERR inner\r\n")) == "[1, -ERR inner]");
    CHECK(convert<void>(value::integer(5)).has_value());
    CHECK(why<value>(value::error("ERR no")) == "CMD: server error: ERR no [refused]");
    CHECK(why<void>(value::error("ERR no")) == "CMD: server error: ERR no [refused]");
}

TEST_CASE("a server error keeps its code, its text and the outcome refused") {
    const auto r = convert<std::optional<int>>(value::error("WRONGTYPE Operation against a key"), "GET");
    REQUIRE_FALSE(r);
    CHECK(r.error().code() == redis::errc::server);
    CHECK(redis::server_code(r.error()) == "WRONGTYPE");
    CHECK(r.error().detail() == "WRONGTYPE Operation against a key");
    CHECK(r.error().outcome() == rondo::outcome::refused);
    CHECK(redis::server_code(rondo::fault(rondo::errc::closed)).empty());
}

TEST_CASE("a server error inside a typed reply is a server error") {
    CHECK(why<std::vector<int>>(reply("*2\r\n:1\r\n-NOSCRIPT x\r\n")) == "CMD: server error: NOSCRIPT x [refused]");
    CHECK(why<std::pair<int, int>>(reply("*2\r\n:1\r\n-NOSCRIPT x\r\n")) == "CMD: server error: NOSCRIPT x [refused]");
}

TEST_CASE("a long reply is cut in the error text") {
    CHECK(why<int>(value::string(std::string(100'000, 'x'))).size() < 300);
}
