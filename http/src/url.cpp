#include <rondo/http/url.hpp>

#include <charconv>

#include <rondo/http/error.hpp>

#include "grammar.hpp"
#include "head_fields.hpp"

namespace rondo::inline v0 {
namespace http {

namespace {

[[noreturn]] void refuse(std::string_view text, errc e, const char* why) {
    // Neither a password nor a control character gets into a log.
    std::string shown;
    const std::size_t mark = text.find("://");
    const std::size_t start = mark == std::string_view::npos ? 0 : mark + 3;
    const std::size_t end = text.find_first_of("/?#", start);
    const std::size_t at = text.substr(0, end).rfind('@');
    if (at != std::string_view::npos && at >= start)
        shown.append(text.substr(0, start)).append("…").append(text.substr(at));
    else shown = text;
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    throw error(fault(make_error_code(e), "URL \"" + shown + "\"").detail(why));
}

// Four decimal numbers up to 255 without leading zeros.
bool is_ipv4(std::string_view s) noexcept {
    for (int i = 0; i < 4; ++i) {
        unsigned n = 256;
        const std::size_t dot = s.find('.');
        const std::string_view part = s.substr(0, dot);
        if (part.empty() || part.size() > 3 || !detail::all(detail::chars::digit, part)) return false;
        std::from_chars(part.data(), part.data() + part.size(), n);
        if (n > 255 || (part.size() > 1 && part.front() == '0')) return false;
        if ((dot == std::string_view::npos) != (i == 3)) return false;
        s = dot == std::string_view::npos ? std::string_view() : s.substr(dot + 1);
    }
    return true;
}

}  // namespace

url::url(std::string_view text) {
    const std::size_t mark = text.find("://");
    if (mark == std::string_view::npos) refuse(text, errc::bad_url, "it must start with http://");
    const std::string_view scheme = text.substr(0, mark);
    if (!detail::same(scheme, "http")) refuse(text, errc::unsupported_scheme, "only http is");

    std::string_view rest = text.substr(mark + 3);
    rest = rest.substr(0, rest.find('#'));
    const std::string_view place = rest.substr(0, rest.find_first_of("/?"));
    const std::string_view target = rest.substr(place.size());
    if (place.find('@') != std::string_view::npos) refuse(text, errc::bad_url, "user information is not supported");
    const std::optional<detail::authority> where = detail::parse_authority(place);
    if (!where) refuse(text, errc::bad_url, "the host or port is malformed");
    if (!detail::all(detail::chars::target, target))
        refuse(text, errc::bad_url, "a byte of the path or query must be percent-encoded");

    for (const char c : where->host) host_ += detail::lower(c);
    if (!host_.starts_with('[') && host_ != "localhost" && !is_ipv4(host_)) refuse(text, errc::unresolvable_host, "");
    if (!where->port.empty()) std::from_chars(where->port.data(), where->port.data() + where->port.size(), port_);
    if (port_ == 0) refuse(text, errc::bad_url, "port 0");
    if (!target.starts_with('/')) target_ = '/';
    target_ += target;
}

std::string url::authority() const { return port_ == 80 ? host_ : host_ + ":" + std::to_string(port_); }

std::string url::endpoint() const { return (host_ == "localhost" ? "127.0.0.1" : host_) + ":" + std::to_string(port_); }

}  // namespace http
}  // namespace rondo::inline v0
