#include <rondo/redis/value.hpp>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using rondo::redis::kind;
using rondo::redis::value;

TEST_CASE("a value without content is null") {
    const value v;
    CHECK(v.is_null());
    CHECK(v == value());
    CHECK(to_string(v) == "null");
}

TEST_CASE("an accessor of another kind gives an empty result") {
    const value v = value::integer(5);
    CHECK(v.integer() == 5);
    CHECK(v.text().empty());
    CHECK(v.items().empty());
    CHECK(v.format().empty());
    CHECK(v.error_code().empty());
    CHECK(v.real() == 0);
    CHECK_FALSE(v.boolean());
    CHECK(value::string("x").integer() == 0);
    CHECK(value::string("ERR x").error_code().empty());
}

TEST_CASE("the code of an error is its first word") {
    CHECK(value::error("WRONGTYPE Operation against a key").error_code() == "WRONGTYPE");
    CHECK(value::error("ERR").error_code() == "ERR");
    CHECK(value::error("").error_code() == "");
    CHECK(value::error("moved x").error_code() == "moved");
    CHECK(value::error("ERR\r\nmore").error_code() == "ERR");
    CHECK(value::error(" x").error_code() == "");
}

TEST_CASE("values are equal when kind and content are") {
    CHECK(value::string("a") == value::string("a"));
    CHECK_FALSE(value::string("a") == value::simple("a"));
    CHECK_FALSE(value::verbatim({'t', 'x', 't'}, "a") == value::verbatim({'m', 'k', 'd'}, "a"));
    std::vector<value> one, two;
    one.push_back(value::integer(1));
    two.push_back(value::integer(1));
    CHECK(value::aggregate(kind::array, one) == value::aggregate(kind::array, two));
    CHECK_FALSE(value::aggregate(kind::array, one) == value::aggregate(kind::set, two));
    two.push_back(value());
    CHECK_FALSE(value::aggregate(kind::array, one) == value::aggregate(kind::array, two));
}

TEST_CASE("text and items can be moved out") {
    const std::string large(1000, 'x');
    value v = value::string(large);
    CHECK(std::move(v).take_text() == large);
    std::vector<value> items;
    items.push_back(value::string(large));
    value a = value::aggregate(kind::array, std::move(items));
    CHECK(std::move(a).take_items().at(0).text() == large);
    CHECK(value::integer(1).take_text().empty());
    CHECK(value::integer(1).take_items().empty());
}

TEST_CASE("the readable form escapes what cannot be printed") {
    std::vector<value> items;
    items.push_back(value::string(std::string("a\"\\\r\n\t\0\x80", 8)));
    items.push_back(value::real(1.5));
    items.push_back(value::boolean(false));
    items.push_back(value::real(-std::numeric_limits<double>::infinity()));
    CHECK(to_string(value::aggregate(kind::map, std::move(items))) == R"({"a\"\\\r\n\t\x00\x80": 1.5, false: -inf})");
}

TEST_CASE("the readable form can be cut") {
    CHECK(to_string(value::string("abcdef"), 4) == R"("abc...")");
    std::vector<value> items(1000, value::integer(7));
    CHECK(to_string(value::aggregate(kind::array, std::move(items)), 5) == "[7, 7, ...]");
    CHECK(rondo::redis::quoted("abcdef", 3) == R"("abc...")");
    CHECK(rondo::redis::quoted("abc", 3) == R"("abc")");
}
