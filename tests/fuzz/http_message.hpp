// What the HTTP fuzzers have in common: messages as text, and what holds for whatever a parser has let through.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <rondo/http/body_decoder.hpp>
#include <rondo/http/error.hpp>
#include <rondo/http/framing.hpp>
#include <rondo/http/headers.hpp>
#include <rondo/http/limits.hpp>

#include "fuzz/input.hpp"

namespace fuzz {

namespace http = rondo::http;

inline http::limits limits_of(std::uint8_t settings) {
    switch (settings & 3) {
        case 1:
            return http::limits().start_line(40).head(120).fields(4).body(16).chunk_extensions(12).chunk_overhead(24);
        case 2:
            return http::limits().start_line(64).head(256).fields(8).body(300).chunk_extensions(64).chunk_overhead(200);
        case 3: return http::limits().start_line(16).head(60).fields(1).body(0).chunk_extensions(0).chunk_overhead(0);
        default: return http::limits();
    }
}

inline std::string text_of(http::errc e) { return http::make_error_code(e).message(); }

inline std::string text_of(const http::framing& f) {
    switch (f.how) {
        case http::framing::kind::none: return "none";
        case http::framing::kind::length: return "length " + std::to_string(f.length);
        case http::framing::kind::chunked: return "chunked";
        case http::framing::kind::until_close: return "until close";
    }
    return "?";
}

inline std::string text_of(const http::headers& h) {
    std::string out;
    for (const http::headers::field f : h) out.append(f.name).append("=").append(f.value).append("\n");
    return out;
}

/// No name or value can break a message apart, and none is over a limit.
inline void check_fields(const http::headers& h, const http::limits& limits) {
    std::size_t bytes = 0;
    require(h.size() <= limits.fields(), "no more fields than the limit");
    for (const http::headers::field f : h) {
        require(!f.name.empty(), "a field has a name");
        for (const char c : f.name) require(c > ' ' && c < 127 && c != ':', "a name is visible ASCII without a colon");
        for (const char c : f.value)
            require(static_cast<unsigned char>(c) >= ' ' || c == '\t', "a value has no control characters");
        require(f.value.empty() || (f.value.front() != ' ' && f.value.front() != '\t' && f.value.back() != ' ' &&
                                    f.value.back() != '\t'),
                "a value has no white space around it");
        bytes += f.name.size() + f.value.size() + 3;
    }
    require(bytes <= limits.head(), "no more bytes of fields than the limit");
}

/// The framing that RFC 9112 section 6 lets a message with these fields have. Written again, and simpler.
inline void check_framing(const http::headers& h, const http::framing& f, bool old) {
    const std::size_t lengths = h.count("content-length");
    const std::size_t codings = h.count("transfer-encoding");
    require(lengths + codings <= 1, "the length is said once and in one way");
    require((f.how == http::framing::kind::length) == (lengths == 1), "Content-Length frames by length");
    require((f.how == http::framing::kind::chunked) == (codings == 1), "Transfer-Encoding frames by chunks");
    require(codings == 0 || !old, "HTTP/1.0 has no chunks");
    if (lengths == 1) {
        std::string_view digits = *h.get("content-length");
        require(!digits.empty() && digits.find_first_not_of("0123456789") == digits.npos, "a length is all digits");
        while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
        require_same(digits, std::to_string(f.length), "the length is the one that was sent");
    }
    if (codings == 1) require(h.get("transfer-encoding")->size() == 7, "the one coding is chunked");
}

/// A body that comes in pieces, and what is left of a piece after its end.
class body_reader {
public:
    body_reader(const http::framing& f, const http::limits& limits)
        : decoder(f, limits), framing_(f), limits_(limits) {}

    /// Takes what belongs to the body off the front.
    void take(rondo::bytes& in) {
        while (!decoder.done() && !decoder.failed() && !in.empty()) {
            const http::body_decoder::piece p = decoder.feed(in);
            require(p.used <= in.size(), "no more is used than was given");
            require(p.used > 0 || decoder.failed(), "it goes on or it fails");
            require(p.data.empty() || (p.data.begin() >= in.begin() && p.data.end() <= in.end()),
                    "data are a view of the input");
            body.append(p.data.text());
            used += p.used;
            in = in.drop(p.used);
        }
        if (decoder.failed()) {
            const http::errc why = decoder.error();
            require(decoder.feed("0\r\n\r\n").used == 0, "a failed body takes nothing");
            decoder.end();
            require(decoder.failed() && decoder.error() == why, "a failed body stays failed");
        }
        check();
    }

    http::body_decoder decoder;
    std::string body;
    std::size_t used = 0;

private:
    void check() const {
        require(decoder.received() == body.size(), "the body is counted");
        require(body.size() <= limits_.body(), "the body is within its limit");
        if (decoder.done() && framing_.how == http::framing::kind::length)
            require(body.size() == framing_.length, "the body is as long as was said");
        if (framing_.how == http::framing::kind::chunked && !decoder.failed() && !decoder.done())
            require(
                used <= 2 * body.size() + limits_.chunk_overhead() + limits_.chunk_extensions() + limits_.head() + 64,
                "framing cannot outgrow the body by more than its limit");
    }

    http::framing framing_;
    http::limits limits_;
};

/// The bytes that parsers may hold for a wire of this size: the fields, their index, and both while they grow; the body
/// here and in the transcript.
inline void check_memory(std::size_t held, std::size_t wire) {
    require(held <= 64 * wire + 16384, "memory grows with what came, not with what was announced");
}

}  // namespace fuzz
