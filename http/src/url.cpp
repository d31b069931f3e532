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
    // Without a scheme nobody can tell where a password ends.
    const bool scheme = mark != std::string_view::npos && mark == text.find_first_of(":/?#@");
    const std::size_t start = scheme ? mark + 3 : 0;
    const std::size_t end = scheme ? text.find_first_of("/?#", start) : text.size();
    const std::size_t at = text.substr(0, end).rfind('@');
    if (at != std::string_view::npos && at >= start)
        shown.append(text.substr(0, start)).append("…").append(text.substr(at));
    else shown = text;
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    throw error(fault(make_error_code(e), "URL \"" + shown + "\"").detail(why));
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
    if (!host_.starts_with('[') && host_ != "localhost" && !detail::is_ipv4(host_))
        refuse(text, errc::unresolvable_host, "");
    if (!where->port.empty()) std::from_chars(where->port.data(), where->port.data() + where->port.size(), port_);
    if (port_ == 0) refuse(text, errc::bad_url, "port 0");
    if (!target.starts_with('/')) target_ = '/';
    target_ += target;
}

std::string url::authority() const { return port_ == 80 ? host_ : host_ + ":" + std::to_string(port_); }

std::string url::endpoint() const { return (host_ == "localhost" ? "127.0.0.1" : host_) + ":" + std::to_string(port_); }

}  // namespace http
}  // namespace rondo::inline v0
