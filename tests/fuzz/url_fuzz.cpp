// HTTP URLs, Redis URLs and endpoints: what is accepted reads back the same from its own text, and a refusal says
// neither a password nor a control character.
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include <rondo/error.hpp>
#include <rondo/http/error.hpp>
#include <rondo/http/url.hpp>
#include <rondo/net/endpoint.hpp>
#include <rondo/redis/error.hpp>
#include <rondo/redis/options.hpp>

#include "fuzz/input.hpp"

namespace {

using fuzz::require;
using fuzz::require_same;
namespace http = rondo::http;
namespace net = rondo::net;
namespace redis = rondo::redis;

void check_printable(std::string_view text) {
    for (const char c : text)
        require(static_cast<unsigned char>(c) >= ' ' && c != 127, "a text for a log has no control characters");
}

/// What stands between "//" and the last "@" before the path, from its colon on.
std::string_view password_in(std::string_view url) {
    url = url.substr(0, url.find('?'));
    const std::size_t start = url.find("//");
    if (start == url.npos) return {};
    std::string_view place = url.substr(start + 2);
    place = place.substr(0, place.find_first_of("/?#"));
    const std::size_t at = place.rfind('@');
    if (at == place.npos) return {};
    place = place.substr(0, at);
    const std::size_t colon = place.find(':');
    return colon == place.npos ? std::string_view() : place.substr(colon + 1);
}

/// The same URL with a password that none of our own sentences has in it: the fuzzer learns those, and writes them.
template <class Url>
void check_secrecy(std::string_view text) {
    constexpr std::string_view mark = "QQQQ";
    const std::string_view password = password_in(text);
    if (password.size() < mark.size()) return;
    const auto start = static_cast<std::size_t>(password.data() - text.data());
    std::string url(text);
    for (std::size_t i = start; i < start + password.size(); ++i)
        if (std::isalnum(static_cast<unsigned char>(url[i])) != 0) url[i] = 'Q';
    std::string rest = url;
    rest.erase(start, password.size());
    if (rest.find(mark) != rest.npos) return;  // It is said outside of the password as well.
    try {
        static_cast<void>(Url(url));
    } catch (const rondo::error& e) {
        require(std::string_view(e.what()).find(mark) == std::string_view::npos,
                "a refusal does not give a password away");
    }
}

void check_endpoint(std::string_view text) {
    std::optional<net::endpoint> e;
    try {
        e.emplace(text);
    } catch (const rondo::error& why) {
        require(why.code() == rondo::make_error_code(rondo::errc::invalid_argument), "a refusal is one");
        return;
    }
    require(text.find('\0') == text.npos, "no text with a NUL names a place");
    require(e->size() != 0, "an endpoint is somewhere");
    require(net::endpoint(e->to_string()) == *e, "an endpoint reads back from its text");
    if (e->is_unix()) require_same(text, "unix:" + std::string(e->path()), "a path is kept as it is");
}

void check_http(std::string_view text) {
    std::optional<http::url> u;
    try {
        u.emplace(text);
    } catch (const rondo::error& e) {
        check_printable(e.what());
        require(&e.code().category() == &http::category(), "a refusal is one of http's");
        return;
    }
    require(u->port() > 0 && u->port() < 65536, "the port is one");
    require(u->target().starts_with('/'), "a target is a path");
    check_printable(u->to_string());
    require(u->to_string().find_first_of(" #@") >= u->authority().size() + 7, "the host is nothing but a host");
    const http::url again(u->to_string());
    require_same(u->to_string(), again.to_string(), "a URL reads back from its text");
    require(net::endpoint(u->endpoint()).port() == u->port(), "a URL names an endpoint");
}

std::string percent_encoded(std::string_view text) {
    constexpr char hex[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto u = static_cast<unsigned char>(c);
        ((out += '%') += hex[u >> 4]) += hex[u & 15];
    }
    return out;
}

void check_redis(std::string_view text) {
    std::optional<redis::options> o;
    try {
        o.emplace(text);
    } catch (const rondo::error& e) {
        check_printable(e.what());
        const bool known = e.code() == rondo::make_error_code(rondo::errc::invalid_argument) ||
                           e.code() == redis::make_error_code(redis::errc::unsupported);
        require(known, "a refusal is one of two");
        return;
    }
    require(o->database() >= 0, "a database is a number");
    require(o->where().size() != 0, "a URL names an endpoint");
    require(o->user().empty() || !o->password().empty(), "a user has a password");

    std::string url = o->where().is_unix() ? "unix://" : "redis://";
    if (!o->password().empty()) url += percent_encoded(o->user()) + ":" + percent_encoded(o->password()) + "@";
    url += o->where().is_unix() ? "/" + percent_encoded(o->where().path().substr(1)) : o->where().to_string();
    url += "?db=" + std::to_string(o->database());
    if (o->where().to_string().find('%') != std::string::npos && !o->where().is_unix()) return;  // a scope
    const redis::options again(url);
    require(again.where() == o->where() && again.database() == o->database(), "the place survives");
    require_same(o->user(), again.user(), "the user survives");
    require_same(o->password(), again.password(), "the password survives");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::input in(data, size);
    check_secrecy<http::url>(in.wire);
    check_secrecy<redis::options>(in.wire);
    check_http(in.wire);
    check_redis(in.wire);
    check_endpoint(in.wire);
    return 0;
}
