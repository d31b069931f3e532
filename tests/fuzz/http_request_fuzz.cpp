// Requests on one connection: the same requests and the same refusal at the same byte however the stream is cut,
// nothing let through that two readers could take differently, requests that survive being written and read again.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rondo/error.hpp>
#include <rondo/http/request_parser.hpp>
#include <rondo/http/request_writer.hpp>

#include "fuzz/http_message.hpp"

namespace {

using fuzz::require;
using fuzz::require_same;
using fuzz::text_of;
namespace http = rondo::http;

struct message {
    http::request request;
    http::version version;
};

std::string text_of_request(const http::request& r) {
    return std::string(to_string(r.method())) + " " + r.target() + "\n" + text_of(r.headers());
}

void check_head(const http::request_parser& p, const http::limits& limits) {
    const http::request& r = p.request();
    fuzz::check_fields(r.headers(), limits);
    fuzz::check_framing(r.headers(), p.framing(), p.version() == http::version::http_1_0);
    require(r.target().size() <= limits.start_line(), "the target is within the limit of its line");
    require(r.target().starts_with('/') || (r.target() == "*" && r.method() == http::method::options),
            "a target is a path, or the whole server");
    for (const char c : r.target()) require(c > ' ' && c < 127, "a target is visible ASCII");
    const std::size_t hosts = r.headers().count("host");
    require(hosts == 1 || (hosts == 0 && p.version() == http::version::http_1_0), "one Host, none only in HTTP/1.0");
    if (r.headers().lists("connection", "close")) require(!p.keep_alive(), "close closes");
    if (p.version() == http::version::http_1_0 && !r.headers().contains("connection"))
        require(!p.keep_alive(), "HTTP/1.0 closes unless asked to keep");
    if (p.expects_continue()) require(p.framing().how != http::framing::kind::none, "only a body is waited for");
}

std::string read(fuzz::pieces stream, const http::limits& limits, std::vector<message>& messages) {
    std::string seen;
    http::request_parser p(limits);
    std::optional<fuzz::body_reader> body;
    std::size_t at = 0;
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
                    require(p.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n") == 0, "a failed parser takes nothing");
                    require(p.failed() && p.error() == why && !p.keep_alive(), "a failed parser stays failed");
                    require(status_for(why) >= 400, "each failure has a status");
                    return seen + "at " + std::to_string(at) + " " + text_of(why);
                }
                if (!p.done()) break;
                require(p.feed("x") == 0, "a whole head takes nothing more");
                check_head(p, limits);
                seen += text_of_request(p.request()) + (p.keep_alive() ? "keep " : "close ") +
                        (p.expects_continue() ? "continue " : "") + text_of(p.framing()) + " from " +
                        std::to_string(at) + "\n";
                body.emplace(p.framing(), limits);
            }
            const std::size_t before = body->used;
            body->take(piece);
            at += body->used - before;
            if (body->decoder.failed()) {
                return seen + "body " + body->body + " at " + std::to_string(at) + " " + text_of(body->decoder.error());
            }
            if (!body->decoder.done()) break;
            fuzz::check_fields(body->decoder.trailers(), limits);
            seen += "body " + body->body + "\n" + text_of(body->decoder.trailers());
            http::request whole = p.request();
            whole.body(body->body).trailers() = body->decoder.trailers();
            messages.push_back({std::move(whole), p.version()});
            body.reset();
            p.reset();
        }
    }
    if (!body) return seen + (p.started() ? "in a head" : "between two");
    body->decoder.end();
    require(body->decoder.failed() && body->decoder.error() == http::errc::incomplete, "a request never ends early");
    return seen + "in a body after " + body->body;
}

// The fields that the writer leaves to the application, without Host, which it writes first.
std::string carried(const http::headers& h) {
    http::headers kept = h;
    for (const char* const name : {"host", "content-length", "transfer-encoding", "connection", "keep-alive",
                                   "proxy-connection", "upgrade", "trailer", "te"})
        kept.remove(name);
    return text_of(kept);
}

void check_round_trip(const message& m) {
    http::request r = m.request;
    // Whatever an HTTP/1.0 client expects is passed over; the writer writes HTTP/1.1, where it would be refused.
    if (m.version == http::version::http_1_0) r.headers().remove("expect");
    std::string wire;
    try {
        http::request_writer("a.example:8080").whole(wire, r);
    } catch (const rondo::error& e) {
        const bool no_content = r.method() == http::method::trace && !(r.body().empty() && r.trailers().empty());
        require(e.code() == http::errc::bad_header, "a request that was read has a target that can be written");
        require(no_content || !r.trailers().empty(), "only a TRACE with a body or a trailer is refused");
        return;
    }
    std::vector<message> again;
    const http::limits roomy = http::limits().start_line(1 << 20).head(1 << 20).fields(1 << 16).body(1 << 20);
    const std::string seen = read(fuzz::pieces(wire), roomy, again);
    require(again.size() == 1 && seen.ends_with("between two"), "one request written is one request read");
    const http::request& b = again.front().request;
    require(b.method() == r.method(), "the method survives");
    require_same(r.target(), b.target(), "the target survives");
    require_same(r.header("host").value_or("a.example:8080"), *b.header("host"), "the host survives");
    require_same(carried(r.headers()), carried(b.headers()), "the fields survive");
    require_same(r.body(), b.body(), "the body survives");
    require_same(text_of(r.trailers()), text_of(b.trailers()), "the trailers survive");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::input in(data, size);
    const http::limits limits = fuzz::limits_of(in.settings);

    std::vector<message> messages, in_pieces;
    const std::string whole = read(fuzz::pieces(in.wire), limits, messages);
    std::size_t held = 0;
    {
        const fuzz::held_memory memory;
        const std::string cut = read(fuzz::pieces(in.wire, in.cuts), limits, in_pieces);
        held = memory.most();
        require_same(whole, cut, "cuts change nothing");
    }
    fuzz::check_memory(held, in.wire.size());
    if (in.wire.size() <= 256) {
        in_pieces.clear();
        require_same(whole, read(fuzz::pieces(in.wire, 0), limits, in_pieces), "nor does reading byte by byte");
    }
    for (const message& m : messages) check_round_trip(m);
    return 0;
}
