#include <rondo/redis/commands.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rondo/redis/parser.hpp>

#include "part_of.hpp"
#include "support/catch.hpp"

namespace redis = rondo::redis;
using namespace std::chrono_literals;
using namespace std::string_literals;
using redis::command;

namespace {

std::string bytes_of(const auto& c) { return std::string(c.encoded().text()); }

// A command is itself an array of strings: what the server would read.
std::vector<std::string> words(const auto& c) {
    redis::parser p;
    redis::value v;
    p.feed(c.encoded());
    const auto e = p.next(v);
    REQUIRE(e == redis::parser::event::reply);
    REQUIRE(p.at_boundary());
    REQUIRE(p.offset() == c.encoded().size());
    std::vector<std::string> out;
    for (const redis::value& item : v.items()) {
        REQUIRE(item.kind() == redis::kind::string);
        out.emplace_back(item.text());
    }
    return out;
}

using list = std::vector<std::string>;

std::string refusal(auto make) {
    try {
        const auto made = make();
        return "made " + std::string(made.name());
    } catch (const rondo::error& e) {
        return e.what();
    }
}

class twice {
public:
    std::size_t argument_count() const { return 2; }
    void encode(redis::encoder& e) const { e.add("a").add("b"); }
};

}  // namespace

TEST_CASE("a command is encoded as an array of length-prefixed strings") {
    CHECK(bytes_of(redis::get("k")) == "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
    CHECK(bytes_of(redis::ping()) == "*1\r\n$4\r\nPING\r\n");
    CHECK(bytes_of(redis::get("a\r\nb\0c"s)) == "*2\r\n$3\r\nGET\r\n$6\r\na\r\nb\0c\r\n"s);
    CHECK(bytes_of(redis::get("")) == "*2\r\n$3\r\nGET\r\n$0\r\n\r\n");
    CHECK(redis::get("k").name() == "GET");
}

TEST_CASE("arguments of every type are spelt so that the server reads the same") {
    const std::string text = "s";
    const std::vector<std::byte> raw{std::byte{0}, std::byte{255}};
    CHECK(words(command<void>("X", text, std::string_view("v"), "l", raw, rondo::bytes("b"))) ==
          list{"X", "s", "v", "l", "\0\xff"s, "b"});
    CHECK(words(command<void>("X", 1, -2, 3U, std::int8_t{-4}, std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::uint64_t>::max())) ==
          list{"X", "1", "-2", "3", "-4", "-9223372036854775808", "18446744073709551615"});
    constexpr double inf = std::numeric_limits<double>::infinity();
    CHECK(words(command<void>("X", 0.1, 0.1F, -inf, inf, -std::numeric_limits<double>::quiet_NaN(), 1e300)) ==
          list{"X", "0.1", "0.1", "-inf", "inf", "nan", "1e+300"});
}

TEST_CASE("a range is as many arguments as it has elements") {
    const list keys{"a", "b"};
    CHECK(words(redis::del(keys)) == list{"DEL", "a", "b"});
    CHECK(words(redis::del("x", keys, std::span<const std::string>(keys).first(1))) == list{"DEL", "x", "a", "b", "a"});
    CHECK(words(command<void>("X", std::array<int, 3>{1, 2, 3}, list{})) == list{"X", "1", "2", "3"});
}

TEST_CASE("an argument type of one's own adds what it wants") {
    static_assert(redis::argument<twice>);
    CHECK(words(command<void>("X", 0, twice(), 1)) == list{"X", "0", "a", "b", "1"});
}

TEST_CASE("what a server could misread is no argument") {
    static_assert(!redis::argument<bool>);
    static_assert(!redis::argument<char>);
    static_assert(!redis::argument<char32_t>);
    static_assert(!redis::argument<void*>);
    static_assert(redis::argument<std::uint8_t>);
    static_assert(redis::argument<std::vector<std::string>>);
    SUCCEED();
}

TEST_CASE("commands survive copies and moves, inside the object and on the heap") {
    const std::size_t size = GENERATE(std::size_t{0}, std::size_t{50}, std::size_t{60}, std::size_t{70},
                                      std::size_t{80}, std::size_t{1000}, std::size_t{1'000'000});
    const std::string value(size, 'v');
    auto original = redis::set("k", value);
    const std::string bytes = bytes_of(original);
    CHECK(bytes == "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$" + std::to_string(size) + "\r\n" + value + "\r\n");
    auto copy = original;
    CHECK(bytes_of(copy) == bytes);
    CHECK(bytes_of(original) == bytes);
    auto moved = std::move(original);
    CHECK(bytes_of(moved) == bytes);
    original = copy;
    CHECK(bytes_of(original) == bytes);
    copy = redis::set("other", "x");
    CHECK(bytes_of(copy) == "*3\r\n$3\r\nSET\r\n$5\r\nother\r\n$1\r\nx\r\n");
    copy = std::move(moved);
    CHECK(bytes_of(copy) == bytes);
    CHECK(copy.name() == "SET");
}

TEST_CASE("the options of SET follow the value") {
    CHECK(words(redis::set("k", 5)) == list{"SET", "k", "5"});
    CHECK(words(redis::set("k", "v", redis::ex(60s), redis::nx)) == list{"SET", "k", "v", "EX", "60", "NX"});
    CHECK(words(redis::set("k", "v", redis::px(1s), redis::xx)) == list{"SET", "k", "v", "PX", "1000", "XX"});
    CHECK(words(redis::set("k", "v", redis::keep_ttl())) == list{"SET", "k", "v", "KEEPTTL"});
}

TEST_CASE("a command knows the type of its reply and whether it blocks") {
    static_assert(std::same_as<decltype(redis::get("k")), command<std::optional<std::string>>>);
    static_assert(std::same_as<decltype(redis::get<int>("k")), command<std::optional<int>>>);
    static_assert(std::same_as<decltype(redis::incr("k")), command<std::int64_t>>);
    static_assert(std::same_as<decltype(redis::del("k"))::reply_type, std::int64_t>);
    static_assert(std::same_as<decltype(redis::set("k", 1))::reply_type, bool>);
    static_assert(std::same_as<decltype(redis::ping())::reply_type, std::string>);
    static_assert(std::same_as<decltype(redis::blpop("k", 1s)), redis::blocking_command<redis::popped>>);
    static_assert(!std::convertible_to<decltype(redis::blpop("k", 1s)), command<redis::popped>>);
    SUCCEED();
}

TEST_CASE("the timeout of BLPOP is in seconds and never rounded to zero") {
    CHECK(words(redis::blpop("k", 5s)) == list{"BLPOP", "k", "5"});
    CHECK(words(redis::blpop("k", 50ms)) == list{"BLPOP", "k", "0.050"});
    CHECK(words(redis::blpop("k", 1500ms)) == list{"BLPOP", "k", "1.500"});
    CHECK(words(redis::blpop("k", 1ns)) == list{"BLPOP", "k", "0.001"});
    CHECK(words(redis::blpop("k", std::chrono::duration<double>(0.25))) == list{"BLPOP", "k", "0.250"});
    CHECK(words(redis::blpop("k", 2min)) == list{"BLPOP", "k", "120"});
    CHECK(words(redis::blpop(list{"a", "b"}, 1s)) == list{"BLPOP", "a", "b", "1"});
    CHECK(words(redis::blpop("k", redis::forever)) == list{"BLPOP", "k", "0"});
    const std::string zero = refusal([] { return redis::blpop("k", 0s); });
    CHECK_PART(zero, "BLPOP: invalid argument: a timeout of 0 ms; use redis::forever");
    CHECK_PART(refusal([] { return redis::blpop("k", -1s); }), "-1000 ms");
    CHECK_PART(refusal([] { return redis::blpop("k", std::chrono::hours::max()); }), "too long");
}

TEST_CASE("a command allows the reply kinds of its own and every error") {
    using redis::value;
    const auto allows = [](const auto& c, const value& v) { return c.allowed().allow(v); };
    CHECK(allows(redis::get("k"), value::string("v")));
    CHECK(allows(redis::get("k"), value()));
    CHECK(allows(redis::get("k"), value::error("ERR")));
    CHECK_FALSE(allows(redis::get("k"), value::simple("OK")));
    CHECK_FALSE(allows(redis::get("k"), value::integer(1)));
    CHECK(allows(redis::set("k", 1), value::simple("OK")));
    CHECK_FALSE(allows(redis::set("k", 1), value::simple("QUEUED")));
    CHECK(allows(redis::ping(), value::simple("PONG")));
    CHECK(allows(redis::ping("x"), value::string("x")));
    CHECK_FALSE(allows(redis::incr("k"), value::string("1")));
    CHECK_FALSE(allows(redis::blpop("k", 1s), value::string("1")));
    CHECK(allows(command<void>("X"), value::simple("QUEUED")));
}
