#include <rondo/redis/parser.hpp>

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cases.hpp"
#include "part_of.hpp"
#include "support/catch.hpp"

namespace redis = rondo::redis;
using redis_test::read_cases;
using redis_test::unescape;

namespace {

// What a parser makes of the pieces: everything that came out, and how it ended.
struct transcript {
    std::string events;
    std::string verdict;
    std::string error;
    std::uint64_t used = 0;

    bool operator==(const transcript&) const = default;
};

transcript parse(const std::vector<std::string_view>& pieces, redis::parser_limits limits = {}) {
    using event = redis::parser::event;
    redis::parser p(limits);
    transcript t;
    redis::value v;
    for (const std::string_view piece : pieces) {
        p.feed(piece);
        for (;;) {
            const event e = p.next(v);
            if (e == event::need_more) break;
            if (e == event::failed) {
                t.verdict = "error";
                t.error = p.error().text();
                return t;
            }
            const redis::kind k = v.kind();
            const bool labelled = e == (k == redis::kind::push        ? event::push
                                        : k == redis::kind::attribute ? event::attribute
                                                                      : event::reply);
            t.events += (t.events.empty() ? "" : " ; ") + std::string(labelled ? "" : "mislabelled ") + to_string(v);
        }
    }
    t.used = p.offset();
    t.verdict = p.finish() ? "ok" : "wait";
    return t;
}

std::vector<std::string_view> byte_by_byte(std::string_view s) {
    std::vector<std::string_view> pieces;
    for (std::size_t i = 0; i < s.size(); ++i) pieces.push_back(s.substr(i, 1));
    return pieces;
}

}  // namespace

TEST_CASE("each case of the protocol table parses as written, whole and cut at every byte") {
    std::set<std::string> names;
    for (const auto& row : read_cases("redis/cases/resp.tsv", 5)) {
        const std::string bytes = unescape(row[1]);
        const std::string expected = redis_test::repeat_marks(row[3]);
        INFO(row[0] << ": " << row[1]);
        CHECK(names.insert(row[0]).second);

        const transcript whole = parse({bytes});
        CHECK(whole.verdict == row[2]);
        if (row[2] == "error") {
            const std::size_t last = expected.rfind(" ; ");
            CHECK(whole.events == (last == expected.npos ? "" : expected.substr(0, last)));
            const std::string error = last == expected.npos ? expected : expected.substr(last + 3);
            CHECK_PART(whole.error, error);
        } else {
            CHECK(whole.events == expected);
            CHECK(whole.used == bytes.size());
        }

        CHECK(parse(byte_by_byte(bytes)) == whole);
        const std::string_view all = bytes;
        for (std::size_t cut = 0; cut <= all.size(); ++cut) {
            const transcript split = parse({all.substr(0, cut), all.substr(cut)});
            if (split == whole) continue;
            INFO("cut at byte " << cut);
            CHECK(split.events == whole.events);
            CHECK(split.verdict == whole.verdict);
            CHECK(split.error == whole.error);
        }
    }
    CHECK(names.size() > 150);
}

TEST_CASE("all good cases after one another parse as one stream") {
    std::string bytes, expected;
    for (const auto& row : read_cases("redis/cases/resp.tsv", 5)) {
        if (row[2] != "ok") continue;
        bytes += unescape(row[1]);
        expected += (expected.empty() ? "" : " ; ") + redis_test::repeat_marks(row[3]);
    }
    CHECK(parse({bytes}).events == expected);
    CHECK(parse(byte_by_byte(bytes)).events == expected);
}

TEST_CASE("a failed parser stays failed and keeps its first error") {
    redis::parser p;
    redis::value v = redis::value::integer(7);
    p.feed("x");
    CHECK(p.next(v) == redis::parser::event::failed);
    const std::string first = p.error().text();
    p.feed("+OK\r\n");
    CHECK(p.next(v) == redis::parser::event::failed);
    CHECK_FALSE(p.finish());
    CHECK(p.error().text() == first);
    CHECK(v.integer() == 7);
    CHECK(p.error().code() == redis::errc::protocol);
}

TEST_CASE("the end of the stream inside a value is an error that says so") {
    redis::parser p;
    redis::value v;
    p.feed("*2\r\n:1\r\n");
    CHECK(p.next(v) == redis::parser::event::need_more);
    CHECK_FALSE(p.at_boundary());
    CHECK_FALSE(p.finish());
    CHECK_PART(p.error().text(), "byte 8: the stream ended inside a value");
    CHECK(p.next(v) == redis::parser::event::failed);
}

TEST_CASE("limits hold at the value that passes them and not at the one before") {
    const std::string ten_bytes = "$4\r\nabcd\r\n";
    SECTION("bytes of a string, by its header alone") {
        CHECK(parse({ten_bytes}, redis::parser_limits().reply_bytes(8)).verdict == "ok");
        const auto over = parse({"$5\r\n"}, redis::parser_limits().reply_bytes(8));
        CHECK(over.verdict == "error");
        CHECK_PART(over.error, "a string of 5 bytes where the limit leaves 4");
        CHECK_PART(over.error, "reply over a limit");
    }
    SECTION("bytes of a line") {
        CHECK(parse({"+abcdefg\r\n"}, redis::parser_limits().reply_bytes(8)).verdict == "ok");
        CHECK(parse({"+abcdefgh\r\n"}, redis::parser_limits().reply_bytes(8)).verdict == "error");
    }
    SECTION("bytes of all values of a reply together") {
        const auto limits = redis::parser_limits().reply_bytes(20);
        CHECK(parse({"*2\r\n:1\r\n:2\r\n*2\r\n:1\r\n:2\r\n"}, limits).verdict == "ok");
        CHECK(parse({"*6\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n:6\r\n"}, limits).verdict == "error");
    }
    SECTION("bytes of a streamed string") {
        const auto limits = redis::parser_limits().reply_bytes(20);
        CHECK(parse({"$?\r\n;2\r\nab\r\n;0\r\n"}, limits).verdict == "ok");
        CHECK(parse({"$?\r\n;2\r\nab\r\n;2\r\ncd\r\n;2\r\nef\r\n"}, limits).verdict == "error");
    }
    SECTION("elements of all aggregates together") {
        const auto limits = redis::parser_limits().elements(4);
        CHECK(parse({"*2\r\n*1\r\n:1\r\n*1\r\n:1\r\n"}, limits).verdict == "ok");
        CHECK(parse({"*2\r\n*1\r\n:1\r\n*2\r\n"}, limits).verdict == "error");
        CHECK(parse({"%2\r\n"}, limits).verdict == "wait");
        CHECK(parse({"%3\r\n"}, limits).verdict == "error");
        CHECK(parse({"*?\r\n:1\r\n:1\r\n:1\r\n:1\r\n.\r\n"}, limits).verdict == "ok");
        CHECK(parse({"*?\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n"}, limits).verdict == "error");
    }
    SECTION("each reply starts afresh") {
        const auto limits = redis::parser_limits().elements(2).reply_bytes(16);
        std::string many;
        for (int i = 0; i < 100; ++i) many += "*2\r\n:1\r\n:2\r\n";
        CHECK(parse({many}, limits).verdict == "ok");
    }
    SECTION("depth cannot be set beyond its hard bound") {
        CHECK(redis::parser_limits().depth(5000).depth() == redis::parser_limits::max_depth);
        std::string deep;
        for (int i = 0; i < 1024; ++i) deep += "*1\r\n";
        CHECK(parse({deep}, redis::parser_limits().depth(5000)).verdict == "wait");
        CHECK(parse({deep + "*1\r\n"}, redis::parser_limits().depth(5000)).verdict == "error");
    }
}

TEST_CASE("a large reply that comes in single bytes is read in linear time") {
    // A parser that started over at each feed would look at 8 * 10^12 bytes here and be stopped by the test's watchdog.
    const std::size_t size = 4'000'000;
    const std::string bytes = "*2\r\n$" + std::to_string(size) + "\r\n" + std::string(size, 'x') + "\r\n+" +
                              std::string(100'000, 'y') + "\r\n";
    const transcript t = parse(byte_by_byte(bytes));
    CHECK(t.verdict == "ok");
    CHECK(t.events.size() == size + 100'000 + 7);
}

TEST_CASE("a header that promises much makes the parser reserve little") {
    redis::parser p(redis::parser_limits().reply_bytes(std::size_t{1} << 40).elements(std::size_t{1} << 40));
    redis::value v;
    // Together 2 TiB: reserving by header would fail at once.
    p.feed("*500000000000\r\n$1000000000000\r\nabc");
    CHECK(p.next(v) == redis::parser::event::need_more);
}
