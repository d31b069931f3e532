#include <rondo/redis/options.hpp>

#include <charconv>

#include <rondo/error.hpp>
#include <rondo/redis/error.hpp>

namespace rondo::inline v0 {
namespace redis {

namespace {

// A URL taken apart; it can name itself in an error without giving the password away.
class url_parts {
public:
    explicit url_parts(std::string_view url) : whole_(url) {
        const std::size_t colon = url.find(':');
        scheme = url.substr(0, colon);
        std::string_view rest = colon == url.npos ? std::string_view() : url.substr(colon + 1);
        const std::size_t question = rest.find('?');
        if (question != rest.npos) query = rest.substr(question + 1);
        rest = rest.substr(0, question);
        if (rest.starts_with("//")) {
            rest.remove_prefix(2);
            const std::size_t slash = rest.find('/');
            authority = rest.substr(0, slash);
            path = slash == rest.npos ? std::string_view() : rest.substr(slash);
            // The last one: a password may hold an @ that nobody has encoded.
            const std::size_t at = authority.rfind('@');
            if (at != authority.npos) {
                has_userinfo = true;
                userinfo = authority.substr(0, at);
                authority.remove_prefix(at + 1);
            }
        } else {
            path = rest;
        }
    }

    [[noreturn]] void refuse(std::error_code code, std::string_view why) const {
        std::string shown(whole_);
        const std::size_t at = whole_.rfind('@');
        if (has_userinfo) {
            shown.replace(scheme.size() + 3, userinfo.size(), "***");
        } else if (at != whole_.npos) {
            // Misspelt, so that nobody can tell where the password is; in a mere path there is none.
            const bool known = scheme == "redis" || scheme == "rediss" || scheme == "unix";
            const std::size_t start = known ? scheme.size() + 1 : 0;
            const std::string_view before = whole_.substr(start, at - start);
            const bool is_path =
                before.starts_with('/') && !before.starts_with("//") && before.find(':') == before.npos;
            if (!is_path) shown.replace(start, before.size(), "***");
        }
        // No control character gets into a log.
        for (char& c : shown)
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
        fault(code, "redis URL '" + shown + "'").detail(std::string(why)).raise();
    }
    [[noreturn]] void refuse(std::string_view why) const {
        refuse(rondo::make_error_code(rondo::errc::invalid_argument), why);
    }

    std::string decode(std::string_view text) const {
        std::string out;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] != '%') {
                out += text[i];
                continue;
            }
            unsigned byte = 0;
            const std::string_view digits = text.substr(i + 1, 2);
            const auto r = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
            if (digits.size() != 2 || r.ec != std::errc() || r.ptr != digits.data() + 2)
                refuse("a % that two hexadecimal digits do not follow");
            out += static_cast<char>(byte);
            i += 2;
        }
        return out;
    }

    int database_number(std::string_view text) const {
        int n = 0;
        const auto r = std::from_chars(text.data(), text.data() + text.size(), n);
        if (text.empty() || r.ec != std::errc() || r.ptr != text.data() + text.size() || n < 0)
            refuse("the database must be a number");
        return n;
    }

    std::string_view scheme, userinfo, authority, path, query;
    bool has_userinfo = false;

private:
    std::string_view whole_;
};

net::endpoint tcp_endpoint(const url_parts& url) {
    std::string_view host = url.authority;
    std::string_view port = "6379";
    // In brackets colons belong to the address.
    const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0;
    if (bracket == host.npos) url.refuse("a '[' without its ']'");
    const std::size_t colon = host.find(':', bracket);
    if (colon != host.npos) {
        port = host.substr(colon + 1);
        host = host.substr(0, colon);
    }
    if (host.empty()) url.refuse("an address is missing");
    if (host == "localhost") host = "127.0.0.1";
    if (!host.starts_with('[') && host.find_first_not_of("0123456789.") != host.npos)
        url.refuse(make_error_code(errc::unsupported), "names are not looked up yet; write an address");
    try {
        return net::endpoint(std::string(host) + ":" + std::string(port));
    } catch (const rondo::error& e) {
        url.refuse(e.fault().detail());
    }
}

}  // namespace

options::options(std::string_view text) {
    const url_parts url(text);
    if (url.has_userinfo) {
        const std::size_t colon = url.userinfo.find(':');
        if (colon == url.userinfo.npos) url.refuse("a user without a password; write user:password@ or :password@");
        user_ = url.decode(url.userinfo.substr(0, colon));
        password_ = url.decode(url.userinfo.substr(colon + 1));
        if (password_.empty()) url.refuse("the password is empty");
    }
    if (url.scheme == "redis") {
        if (!text.starts_with("redis://")) url.refuse("write redis://address");
        where_ = tcp_endpoint(url);
        if (url.path.size() > 1) database_ = url.database_number(url.path.substr(1));
    } else if (url.scheme == "unix") {
        if (!url.authority.empty()) url.refuse("a unix socket has no host; write unix:/path");
        if (!url.path.starts_with('/')) url.refuse("the path must be absolute");
        try {
            where_ = net::endpoint("unix:" + url.decode(url.path));
        } catch (const rondo::error& e) {
            url.refuse(e.fault().detail());
        }
    } else if (url.scheme == "rediss") {
        url.refuse(make_error_code(errc::unsupported), "rediss:// needs TLS, which is not built yet");
    } else {
        url.refuse("a redis URL starts with redis:// or unix:");
    }
    if (url.query.starts_with("db=")) database_ = url.database_number(url.query.substr(3));
    else if (!url.query.empty()) url.refuse("the only setting after '?' is db=number");
}

}  // namespace redis
}  // namespace rondo::inline v0
