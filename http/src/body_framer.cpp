#include <rondo/http/detail/body_framer.hpp>

#include <algorithm>
#include <array>
#include <charconv>

#include <rondo/http/error.hpp>

#include "grammar.hpp"

namespace rondo::inline v0 {
namespace http {
namespace detail {

namespace {

// RFC 9110 section 6.5.1: framing, routing, authentication, request modifiers and content format may not come
// after the content they are about.
constexpr std::array<std::string_view, 18> not_trailers = {"content-length",
                                                           "transfer-encoding",
                                                           "connection",
                                                           "keep-alive",
                                                           "proxy-connection",
                                                           "upgrade",
                                                           "trailer",
                                                           "te",
                                                           "host",
                                                           "authorization",
                                                           "proxy-authorization",
                                                           "www-authenticate",
                                                           "content-encoding",
                                                           "content-type",
                                                           "set-cookie",
                                                           "cookie",
                                                           "content-range",
                                                           "expect"};

bool listed(const auto& list, std::string_view name) noexcept {
    return std::any_of(list.begin(), list.end(), [&](std::string_view n) { return same(n, name); });
}

void append_number(std::string& out, std::uint64_t n, int base) {
    char digits[20] = {};
    const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, n, base);
    out.append(digits, end.ptr);
}

}  // namespace

void append_field(std::string& out, std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).append("\r\n");
}

void append_framing(std::string& out, const framing& f) {
    if (f.how == framing::kind::chunked) out += "Transfer-Encoding: chunked\r\n";
    if (f.how != framing::kind::length) return;
    out += "Content-Length: ";
    append_number(out, f.length, 10);
    out += "\r\n";
}

bool is_connection_field(std::string_view name) noexcept {
    constexpr std::array<std::string_view, 8> ours = {
        "content-length",   "transfer-encoding", "connection", "keep-alive",
        "proxy-connection", "upgrade",           "trailer",    "te"};
    return listed(ours, name);
}

void body_framer::write(std::string& out, bytes piece) {
    if (piece.empty() || silent_) return;
    if (ended_ || framing_.how == framing::kind::none) throw error(errc::body_length_mismatch, "write a body");
    switch (framing_.how) {
        case framing::kind::length:
            if (piece.size() > left_) throw error(errc::body_length_mismatch, "write a body");
            left_ -= piece.size();
            out.append(piece.text());
            break;
        case framing::kind::chunked:
            append_number(out, piece.size(), 16);
            out.append("\r\n").append(piece.text()).append("\r\n");
            break;
        case framing::kind::until_close: out.append(piece.text()); break;
        case framing::kind::none: break;
    }
}

void body_framer::end(std::string& out, const headers& trailers) {
    for (const headers::field f : trailers)
        if (listed(not_trailers, f.name))
            throw error(fault(make_error_code(errc::bad_header), "trailer \"" + std::string(f.name) + "\"")
                            .detail("may not come after the body"));
    if (ended_ || silent_) return;
    ended_ = true;
    if (framing_.how == framing::kind::length && left_ > 0) throw error(errc::body_length_mismatch, "end a body");
    if (framing_.how != framing::kind::chunked) return;
    out += "0\r\n";
    for (const headers::field f : trailers) append_field(out, f.name, f.value);
    out += "\r\n";
}

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
