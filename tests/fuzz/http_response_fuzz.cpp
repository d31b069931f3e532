// Responses on one connection that then closes: the same responses and the same failure at the same byte however the
// stream is cut, bodies that end where RFC 9112 section 6.3 says, responses that survive being written and read again.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rondo/error.hpp>
#include <rondo/http/response_parser.hpp>
#include <rondo/http/response_writer.hpp>
#include <rondo/http/status.hpp>

#include "fuzz/http_message.hpp"

namespace {

using fuzz::require;
using fuzz::require_same;
using fuzz::text_of;
namespace http = rondo::http;

constexpr std::string_view date = "Sun, 06 Nov 1994 08:49:37 GMT";

void check_head(const http::response_parser& p, http::method asked, const http::limits& limits) {
    const http::response& r = p.response();
    fuzz::check_fields(r.headers(), limits);
    require(r.status() >= 100 && r.status() <= 999, "a status has three digits, the first no zero");
    const bool bodiless = asked == http::method::head || r.status() < 200 || r.status() == 204 || r.status() == 304;
    if (bodiless) {
        require(p.framing().how == http::framing::kind::none, "no body, whatever the fields say");
        return;
    }
    require(p.framing().how != http::framing::kind::none, "any other response has a body");
    fuzz::check_framing(r.headers(), p.framing(), p.version() == http::version::http_1_0);
    if (p.framing().how == http::framing::kind::until_close || r.headers().lists("connection", "close"))
        require(!p.keep_alive(), "the connection ends with the response");
}

std::string read(fuzz::pieces stream, http::method asked, const http::limits& limits,
                 std::vector<http::response>& responses) {
    std::string seen;
    http::response_parser p(asked, limits);
    std::optional<fuzz::body_reader> body;
    std::size_t at = 0;
    const auto end_response = [&] {
        fuzz::check_fields(body->decoder.trailers(), limits);
        seen += "body " + body->body + "\n" + text_of(body->decoder.trailers());
        http::response whole = p.response();
        whole.body(body->body).trailers() = body->decoder.trailers();
        responses.push_back(std::move(whole));
        body.reset();
        p.reset();
    };
    rondo::bytes piece;
    while (stream.next(piece)) {
        while (!piece.empty()) {
            if (!body) {
                const std::size_t used = p.feed(piece);
                require(used <= piece.size(), "no more is used than was given");
                require(used == piece.size() || p.done() || p.failed(), "it stops at an end or at an error");
                at += used;
                piece = piece.drop(used);
                if (p.failed()) {
                    const http::errc why = p.error();
                    require(p.feed("HTTP/1.1 200 OK\r\n\r\n") == 0, "a failed parser takes nothing");
                    require(p.failed() && p.error() == why && !p.keep_alive(), "a failed parser stays failed");
                    return seen + "at " + std::to_string(at) + " " + text_of(why);
                }
                if (!p.done()) break;
                require(p.feed("x") == 0, "a whole head takes nothing more");
                check_head(p, asked, limits);
                seen += std::to_string(p.response().status()) + (p.keep_alive() ? " keep " : " close ") +
                        text_of(p.framing()) + " from " + std::to_string(at) + "\n" + text_of(p.response().headers());
                body.emplace(p.framing(), limits);
            }
            const std::size_t before = body->used;
            body->take(piece);
            at += body->used - before;
            if (body->decoder.failed()) {
                return seen + "body " + body->body + " at " + std::to_string(at) + " " + text_of(body->decoder.error());
            }
            if (!body->decoder.done()) break;
            end_response();
        }
    }
    if (!body) return seen + (p.started() ? "in a head" : "between two");
    const bool may_end = p.framing().how == http::framing::kind::until_close;
    body->decoder.end();
    require(body->decoder.done() == may_end, "only a body without a length may end with the connection");
    if (may_end) end_response();
    return seen + (may_end ? "closed" : "in a body");
}

// The fields that the writer leaves to the application.
std::string carried(const http::headers& h) {
    http::headers kept = h;
    for (const char* const name : {"content-length", "transfer-encoding", "connection", "keep-alive",
                                   "proxy-connection", "upgrade", "trailer", "te"})
        kept.remove(name);
    return text_of(kept);
}

void check_round_trip(const http::response& r, http::method asked, std::uint8_t settings) {
    const bool keep = (settings & 8) == 0;
    const http::version peer = (settings & 4) == 0 ? http::version::http_1_1 : http::version::http_1_0;
    std::string wire;
    http::response_writer w(asked, peer, keep, date);
    try {
        if ((settings & 16) == 0) {
            w.whole(wire, r);
        } else {
            w.head(wire, r, std::nullopt);
            const rondo::bytes all = r.body();
            w.body(wire, all.first(all.size() / 2));
            w.body(wire, all.drop(all.size() / 2));
            w.end(wire, r.trailers());
        }
    } catch (const rondo::error& e) {
        if (r.status() < 200) require(e.code() == http::errc::bad_status, "an interim response is no answer");
        else require(e.code() == http::errc::bad_header && !r.trailers().empty(), "only a trailer is refused");
        return;
    }
    std::vector<http::response> again;
    const http::limits roomy = http::limits().start_line(1 << 20).head(1 << 20).fields(1 << 16).body(1 << 20);
    const std::string seen = read(fuzz::pieces(wire), asked, roomy, again);
    require(again.size() == 1 && (seen.ends_with("between two") || seen.ends_with("closed")),
            "one response written is one response read");
    const http::response& b = again.front();
    require(b.status() == r.status(), "the status survives");
    http::response dated = r;
    if (!r.headers().contains("date")) {
        // The writer's own comes first.
        require_same(*b.header("date"), date, "a response has a date");
        dated = b;
        dated.headers().remove("date");
        require_same(carried(r.headers()), carried(dated.headers()), "the fields survive");
    } else {
        require_same(carried(r.headers()), carried(b.headers()), "the fields survive");
    }
    if (r.status() == 205) {
        require(b.body().empty(), "205 has no content");
        return;
    }
    require_same(r.body(), b.body(), "the body survives");
    const bool silent = asked == http::method::head || http::is_bodiless(r.status());
    if (peer == http::version::http_1_1 && !silent)
        require_same(text_of(r.trailers()), text_of(b.trailers()), "the trailers survive");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::input in(data, size);
    const http::limits limits = fuzz::limits_of(in.settings);
    const http::method asked =
        (in.settings & 32) != 0 && (in.settings & 64) != 0 ? http::method::head : http::method::get;

    std::vector<http::response> responses, in_pieces;
    const std::string whole = read(fuzz::pieces(in.wire), asked, limits, responses);
    std::size_t held = 0;
    {
        const fuzz::held_memory memory;
        const std::string cut = read(fuzz::pieces(in.wire, in.cuts), asked, limits, in_pieces);
        held = memory.most();
        require_same(whole, cut, "cuts change nothing");
    }
    fuzz::check_memory(held, in.wire.size());
    if (in.wire.size() <= 256) {
        in_pieces.clear();
        require_same(whole, read(fuzz::pieces(in.wire, 0), asked, limits, in_pieces), "nor does reading byte by byte");
    }
    for (const http::response& r : responses) check_round_trip(r, asked, in.settings);
    return 0;
}
