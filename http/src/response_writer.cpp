#include <rondo/http/response_writer.hpp>

#include <rondo/http/error.hpp>
#include <rondo/http/status.hpp>

namespace rondo::inline v0 {
namespace http {

namespace {

void append_status_line(std::string& out, int status) {
    out += "HTTP/1.1 ";
    out += static_cast<char>('0' + status / 100);
    out += static_cast<char>('0' + status / 10 % 10);
    out += static_cast<char>('0' + status % 10);
    (out += ' ').append(reason_phrase(status)).append("\r\n");
}

}  // namespace

void response_writer::head(std::string& out, const response& r, std::optional<std::uint64_t> length) {
    const int status = r.status();
    if (status < 200 || status > 999) throw error(errc::bad_status, "write a response " + std::to_string(status));
    if (r.headers().lists("connection", "close")) keep_alive_ = false;

    framing f;
    if (status == 205) f = {framing::kind::length, 0};
    else if (is_bodiless(status)) f = {};
    else if (length) f = {framing::kind::length, *length};
    else if (peer_ == version::http_1_1) f = {framing::kind::chunked, 0};
    else f = {framing::kind::until_close, 0};
    const bool silent = asked_ == method::head || status == 205 || is_bodiless(status);
    if (f.how == framing::kind::until_close && !silent) keep_alive_ = false;
    body_ = detail::body_framer(f, silent);

    append_status_line(out, status);
    if (!r.headers().contains("date")) detail::append_field(out, "Date", date_);
    for (const headers::field h : r.headers())
        if (!detail::is_connection_field(h.name)) detail::append_field(out, h.name, h.value);
    detail::append_framing(out, f);
    if (!keep_alive_) out += "Connection: close\r\n";
    else if (peer_ == version::http_1_0) out += "Connection: keep-alive\r\n";
    out += "\r\n";
}

void response_writer::body(std::string& out, bytes piece) {
    try {
        body_.write(out, piece);
    } catch (...) {
        keep_alive_ = false;
        throw;
    }
}

void response_writer::end(std::string& out, const headers& trailers) {
    try {
        body_.end(out, trailers);
    } catch (...) {
        keep_alive_ = false;
        throw;
    }
}

void response_writer::whole(std::string& out, const response& r) {
    const bool chunked = !r.trailers().empty() && peer_ == version::http_1_1;
    head(out, r, chunked ? std::nullopt : std::optional<std::uint64_t>(r.body().size()));
    body(out, r.body());
    end(out, chunked ? r.trailers() : headers());
}

void response_writer::interim(std::string& out, int status) const {
    if (!is_interim(status)) throw error(errc::bad_status, "write an interim response " + std::to_string(status));
    if (peer_ == version::http_1_0) return;
    append_status_line(out, status);
    out += "\r\n";
}

}  // namespace http
}  // namespace rondo::inline v0
