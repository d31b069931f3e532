#include <rondo/http/request_writer.hpp>

#include <rondo/http/error.hpp>

#include "grammar.hpp"
#include "head_fields.hpp"

namespace rondo::inline v0 {
namespace http {

namespace {

// A method that means to send content says so even when it is empty (RFC 9110 section 8.6).
bool announces_content(method m) noexcept { return m == method::post || m == method::put || m == method::patch; }

bool is_target(const request& r) noexcept {
    const std::string& t = r.target();
    if (t == "*") return r.method() == method::options;
    return t.starts_with('/') && detail::all(detail::chars::target, t);
}

}  // namespace

void request_writer::head(std::string& out, const request& r, std::optional<std::uint64_t> length) {
    if (!is_target(r)) throw error(errc::bad_target, "write a request");
    const std::string_view host = r.header("host").value_or(authority_);
    if (r.headers().count("host") > 1 || !detail::parse_authority(host))
        throw error(errc::bad_header, "write a request: Host");
    const bool content = !length || *length > 0;
    if (content && r.method() == method::trace) throw error(errc::bad_header, "write a TRACE with a body");

    framing f;
    if (!length) f = {framing::kind::chunked, 0};
    else if (content || announces_content(r.method())) f = {framing::kind::length, *length};
    body_ = detail::body_framer(f, false);

    out.append(to_string(r.method())).append(" ").append(r.target()).append(" HTTP/1.1\r\n");
    detail::append_field(out, "Host", host);
    for (const headers::field h : r.headers())
        if (!detail::is_connection_field(h.name) && !detail::same(h.name, "host"))
            detail::append_field(out, h.name, h.value);
    if (r.headers().lists("connection", "close")) out += "Connection: close\r\n";
    detail::append_framing(out, f);
    out += "\r\n";
}

void request_writer::whole(std::string& out, const request& r) {
    const bool chunked = !r.trailers().empty();
    head(out, r, chunked ? std::nullopt : std::optional<std::uint64_t>(r.body().size()));
    body(out, r.body());
    end(out, r.trailers());
}

}  // namespace http
}  // namespace rondo::inline v0
