#include <rondo/http/body_decoder.hpp>

#include <string>

#include "support/catch.hpp"

using rondo::http::body_decoder;
using rondo::http::errc;
using rondo::http::framing;
using rondo::http::limits;

namespace {

// Feeds `in` in pieces of `step` bytes; what is not taken stays in `in`.
std::string decode(body_decoder& d, std::string_view& in, std::size_t step = 1000000) {
    std::string out;
    while (!in.empty() && !d.done() && !d.failed()) {
        const body_decoder::piece p = d.feed(in.substr(0, step));
        out += p.data.text();
        in.remove_prefix(p.used);
    }
    return out;
}

}  // namespace

TEST_CASE("a body is given as views of the input, and what follows it is left") {
    const std::string in = "5\r\nhello\r\n0\r\n\r\nGET";
    body_decoder d({framing::kind::chunked, 0}, limits());

    const body_decoder::piece p = d.feed(in);
    CHECK(p.used == 8);
    CHECK(p.data.text() == "hello");
    CHECK(static_cast<const void*>(p.data.data()) == in.data() + 3);

    const body_decoder::piece rest = d.feed(rondo::bytes(in).drop(8));
    CHECK(rest.data.empty());
    CHECK(d.done());
    CHECK(in.substr(8 + rest.used) == "GET");
}

TEST_CASE("a decoder without a body is done and takes nothing") {
    body_decoder none;
    CHECK(none.done());
    CHECK(none.feed("x").used == 0);
    body_decoder empty({framing::kind::length, 0}, limits());
    CHECK(empty.done());
}

TEST_CASE("a body may be as long as the limit and no longer") {
    const limits four = limits().body(4);
    CHECK(body_decoder({framing::kind::length, 4}, four).error() == errc::none);
    CHECK(body_decoder({framing::kind::length, 5}, four).error() == errc::body_too_large);

    for (const std::size_t step : {std::size_t{1}, std::size_t{1000}}) {
        std::string_view fits = "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n";
        body_decoder a({framing::kind::chunked, 0}, four);
        CHECK(decode(a, fits, step) == "abcd");
        CHECK(a.done());
        CHECK(a.received() == 4);

        std::string_view over = "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n";
        body_decoder b({framing::kind::chunked, 0}, four);
        CHECK(decode(b, over, step) == "ab");
        CHECK(b.error() == errc::body_too_large);

        std::string_view open = "abcd";
        body_decoder c({framing::kind::until_close, 0}, four);
        CHECK(decode(c, open, step) == "abcd");
        CHECK(c.error() == errc::none);
        c.end();
        CHECK(c.done());

        std::string_view longer = "abcde";
        body_decoder e({framing::kind::until_close, 0}, four);
        CHECK(decode(e, longer, step) == "abcd");
        CHECK(e.error() == errc::body_too_large);
        e.end();
        CHECK(e.failed());
    }
}

TEST_CASE("the end of the connection completes only a body without a length") {
    body_decoder open({framing::kind::until_close, 0}, limits());
    open.feed("abc");
    CHECK_FALSE(open.done());
    open.end();
    CHECK(open.done());

    body_decoder sized({framing::kind::length, 4}, limits());
    sized.feed("abc");
    sized.end();
    CHECK(sized.error() == errc::incomplete);

    body_decoder chunked({framing::kind::chunked, 0}, limits());
    chunked.feed("3\r\nabc\r\n0\r\n");
    chunked.end();
    CHECK(chunked.error() == errc::incomplete);

    body_decoder whole({framing::kind::length, 3}, limits());
    whole.feed("abc");
    whole.end();
    CHECK(whole.done());
}

TEST_CASE("chunk extensions have one budget for the whole body") {
    const limits tight = limits().chunk_extensions(8);
    std::string_view fits = "1;a=b\r\nX\r\n1;c=d\r\nY\r\n0\r\n\r\n";
    body_decoder a({framing::kind::chunked, 0}, tight);
    CHECK(decode(a, fits) == "XY");
    CHECK(a.done());

    for (const std::size_t step : {std::size_t{1}, std::size_t{1000}}) {
        std::string_view over = "1;a=b\r\nX\r\n1;c=de\r\nY\r\n0\r\n\r\n";
        body_decoder b({framing::kind::chunked, 0}, tight);
        CHECK(decode(b, over, step) == "X");
        CHECK(b.error() == errc::chunk_overhead);
    }
}

TEST_CASE("framing may outgrow the data by its allowance and no more") {
    const limits tight = limits().chunk_overhead(20);
    std::string many;
    for (int i = 0; i < 1000; ++i) many += "5\r\nhello\r\n";
    many += "0\r\n\r\n";
    std::string_view cheap = many;
    body_decoder a({framing::kind::chunked, 0}, tight);
    CHECK(decode(a, cheap).size() == 5000);
    CHECK(a.done());

    std::string dear;
    for (int i = 0; i < 10; ++i) dear += "1\r\nX\r\n";
    std::string_view in = dear;
    body_decoder b({framing::kind::chunked, 0}, tight);
    CHECK(decode(b, in).size() == 5);
    CHECK(b.error() == errc::chunk_overhead);
}

TEST_CASE("a chunk extension over its limit fails at the same byte however it is cut") {
    const std::string chunk = "1;name=value;other=\"longer than that\"\r\nx\r\n";
    for (const std::size_t limit : {0u, 3u, 6u, 10u, 13u, 20u, 30u}) {
        for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
            std::string_view in = chunk;
            body_decoder d({framing::kind::chunked, 0}, limits().chunk_extensions(limit));
            decode(d, in, step);
            CHECK(d.error() == errc::chunk_overhead);
            CHECK(chunk.size() - in.size() == 1 + limit);
        }
    }
}
