#include "head_fields.hpp"

#include <charconv>

#include "grammar.hpp"

namespace rondo::inline v0 {
namespace http {
namespace detail {

namespace {

// Nineteen digits cannot overflow 64 bits, and no body is longer.
errc read_length(std::string_view value, std::uint64_t& out) {
    if (value.empty() || value.size() > 19 || !all(chars::digit, value)) return errc::bad_content_length;
    std::from_chars(value.data(), value.data() + value.size(), out);
    return errc::none;
}

// Only `chunked`, alone, is implemented. What is merely unknown is told from what is malformed, because a
// server answers them differently (501, 400).
errc read_coding(std::string_view value) {
    bool more = true;
    bool unknown = false;
    bool chunked = false;
    while (more) {
        const std::string_view coding = next_member(value, more);
        if (coding.empty() || !all(chars::token, coding)) return errc::bad_transfer_encoding;
        if (chunked) return errc::bad_transfer_encoding;  // something follows it, or it comes twice
        if (same(coding, "chunked")) chunked = true;
        else unknown = true;
    }
    return unknown ? errc::unknown_transfer_encoding : errc::none;
}

bool is_port(std::string_view s) noexcept {
    unsigned n = 0;
    if (!all(chars::digit, s) || s.size() > 5) return false;
    std::from_chars(s.data(), s.data() + s.size(), n);
    return n <= 65535;
}

// reg-name or IPv4address. Percent-encoding is allowed by the grammar and used by nobody; it is refused,
// because two readers may decode it differently.
bool is_host(std::string_view s) noexcept { return !s.empty() && all(chars::host, s); }

// The inside of [ ]: an IPv6 address as RFC 3986 section 3.2.2 writes it, without zone.
bool is_ip_literal(std::string_view s) noexcept {
    unsigned groups = 0;
    bool gap = s.starts_with("::");
    if (gap) s.remove_prefix(2);
    if (gap && s.empty()) return true;
    for (;;) {
        const std::size_t colon = s.find(':');
        const std::string_view group = s.substr(0, colon);
        const bool dotted = colon == std::string_view::npos && group.find('.') != std::string_view::npos;
        if (dotted ? !is_ipv4(group) : group.empty() || group.size() > 4 || !all(chars::hex, group)) return false;
        groups += dotted ? 2 : 1;
        if (colon == std::string_view::npos) break;
        s.remove_prefix(colon + 1);
        if (!s.starts_with(':')) continue;
        if (gap) return false;
        gap = true;
        s.remove_prefix(1);
        if (s.empty()) break;
    }
    return gap ? groups < 8 : groups == 8;
}

}  // namespace

errc read_framing(const headers& h, version v, framing& out) {
    std::size_t lengths = 0;
    std::size_t codings = 0;
    std::string_view length;
    std::string_view coding;
    for (const headers::field f : h) {
        if (same(f.name, "content-length")) {
            ++lengths;
            length = f.value;
        } else if (same(f.name, "transfer-encoding")) {
            ++codings;
            coding = f.value;
        }
    }
    if (lengths > 0 && codings > 0) return errc::ambiguous_length;
    if (lengths > 1) return errc::bad_content_length;
    if (codings > 1) return errc::bad_transfer_encoding;
    if (lengths == 1) {
        out.how = framing::kind::length;
        return read_length(length, out.length);
    }
    if (codings == 1) {
        if (v == version::http_1_0) return errc::bad_transfer_encoding;
        out.how = framing::kind::chunked;
        return read_coding(coding);
    }
    return errc::none;
}

bool keeps_alive(const headers& h, version v) noexcept {
    if (h.lists("connection", "close")) return false;
    return v == version::http_1_1 || h.lists("connection", "keep-alive");
}

bool is_ipv4(std::string_view s) noexcept {
    for (int i = 0; i < 4; ++i) {
        unsigned n = 256;
        const std::size_t dot = s.find('.');
        const std::string_view part = s.substr(0, dot);
        if (part.empty() || part.size() > 3 || !all(chars::digit, part)) return false;
        std::from_chars(part.data(), part.data() + part.size(), n);
        if (n > 255 || (part.size() > 1 && part.front() == '0')) return false;
        if ((dot == std::string_view::npos) != (i == 3)) return false;
        s = dot == std::string_view::npos ? std::string_view() : s.substr(dot + 1);
    }
    return true;
}

std::optional<authority> parse_authority(std::string_view text) noexcept {
    authority a;
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos || !is_ip_literal(text.substr(1, close - 1))) return std::nullopt;
        a.host = text.substr(0, close + 1);
    } else {
        a.host = text.substr(0, text.find(':'));
        if (!is_host(a.host)) return std::nullopt;
    }
    text.remove_prefix(a.host.size());
    if (text.empty()) return a;
    if (text.front() != ':' || !is_port(text.substr(1))) return std::nullopt;
    a.port = text.substr(1);
    return a;
}

bool same_authority(authority a, authority b, std::string_view default_port) noexcept {
    const auto port = [&](authority x) { return x.port.empty() ? default_port : x.port; };
    return same(a.host, b.host) && port(a) == port(b);
}

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
