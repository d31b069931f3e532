#include <rondo/net/endpoint.hpp>

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>

#include <rondo/error.hpp>

namespace rondo::inline v0 {
namespace net {

namespace {

constexpr std::string_view unix_prefix = "unix:";

// No control character gets into a log.
std::string printable(std::string_view text) {
    std::string shown(text);
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return shown;
}

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
    fault(errc::invalid_argument, "endpoint '" + printable(text) + "'").detail(printable(why)).raise();
}

std::uint16_t parse_port(std::string_view whole, std::string_view text) {
    unsigned port = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (text.empty() || ec != std::errc() || end != text.data() + text.size() || port > 65535)
        refuse(whole, "the port must be a number from 0 to 65535");
    return static_cast<std::uint16_t>(port);
}

template <class Address>
Address load(const std::array<std::byte, 112>& storage) noexcept {
    Address a{};
    std::memcpy(&a, storage.data(), std::min(sizeof a, storage.size()));
    return a;
}

}  // namespace

static_assert(sizeof(sockaddr_un) <= 112 && sizeof(sockaddr_in6) <= 112);

endpoint::endpoint(std::string_view text) {
    // What reads addresses and interface names ends at a NUL, and would not see the rest.
    if (text.find('\0') != text.npos) refuse(text, "it holds a NUL byte");
    if (text.starts_with(unix_prefix)) {
        const std::string_view path = text.substr(unix_prefix.size());
        sockaddr_un a{};
        if (path.empty()) refuse(text, "the path is empty");
        if (path.size() >= sizeof a.sun_path) refuse(text, "the path is longer than 107 bytes");
        a.sun_family = AF_UNIX;
        std::memcpy(a.sun_path, path.data(), path.size());
        std::memcpy(storage_.data(), &a, sizeof a);
        size_ = static_cast<std::uint32_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
        return;
    }
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == text.npos || close + 1 >= text.size() || text[close + 1] != ':')
            refuse(text, "an IPv6 endpoint is written [address]:port");
        std::string host(text.substr(1, close - 1));
        sockaddr_in6 a{};
        if (const std::size_t percent = host.find('%'); percent != host.npos) {
            const std::string scope = host.substr(percent + 1);
            a.sin6_scope_id = ::if_nametoindex(scope.c_str());
            if (a.sin6_scope_id == 0) refuse(text, "no interface is named '" + scope + "'");
            host.resize(percent);
        }
        a.sin6_family = AF_INET6;
        a.sin6_port = htons(parse_port(text, text.substr(close + 2)));
        if (::inet_pton(AF_INET6, host.c_str(), &a.sin6_addr) != 1) refuse(text, "not an IPv6 address");
        std::memcpy(storage_.data(), &a, sizeof a);
        size_ = sizeof a;
        return;
    }
    const std::size_t colon = text.rfind(':');
    if (colon == text.npos) refuse(text, "a port is missing: write address:port, [address]:port or unix:path");
    const std::string host(text.substr(0, colon));
    if (host.find(':') != host.npos) refuse(text, "an IPv6 endpoint is written [address]:port");
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_port = htons(parse_port(text, text.substr(colon + 1)));
    if (host.empty()) {
        const std::string port = std::to_string(ntohs(a.sin_port));
        refuse(text, "an address is missing: for all of this machine's write 0.0.0.0:" + port + " or [::]:" + port);
    }
    if (::inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host.c_str(), &a.sin_addr) != 1)
        refuse(text, "not an IPv4 address; names other than localhost are not looked up");
    std::memcpy(storage_.data(), &a, sizeof a);
    size_ = sizeof a;
}

endpoint::endpoint(const sockaddr* address, std::size_t size) noexcept {
    size_ = static_cast<std::uint32_t>(std::min(size, storage_.size()));
    if (size_ != 0) std::memcpy(storage_.data(), address, size_);
}

const sockaddr* endpoint::address() const noexcept { return reinterpret_cast<const sockaddr*>(storage_.data()); }

int endpoint::family() const noexcept { return size_ == 0 ? AF_UNSPEC : load<sockaddr>(storage_).sa_family; }

bool endpoint::is_unix() const noexcept { return family() == AF_UNIX; }

std::uint16_t endpoint::port() const noexcept {
    switch (family()) {
        case AF_INET: return ntohs(load<sockaddr_in>(storage_).sin_port);
        case AF_INET6: return ntohs(load<sockaddr_in6>(storage_).sin6_port);
        default: return 0;
    }
}

std::string_view endpoint::path() const noexcept {
    constexpr std::size_t start = offsetof(sockaddr_un, sun_path);
    if (!is_unix() || size_ <= start) return {};
    const char* const p = reinterpret_cast<const char*>(storage_.data()) + start;
    return {p, ::strnlen(p, size_ - start)};
}

std::string endpoint::to_string() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    switch (family()) {
        case AF_INET: {
            const auto a = load<sockaddr_in>(storage_);
            ::inet_ntop(AF_INET, &a.sin_addr, text.data(), text.size());
            return std::string(text.data()) + ":" + std::to_string(port());
        }
        case AF_INET6: {
            const auto a = load<sockaddr_in6>(storage_);
            ::inet_ntop(AF_INET6, &a.sin6_addr, text.data(), text.size());
            std::string out = "[";
            out += text.data();
            std::array<char, IF_NAMESIZE> name{};
            if (a.sin6_scope_id != 0 && ::if_indextoname(a.sin6_scope_id, name.data()) != nullptr)
                (out += '%') += name.data();
            return out + "]:" + std::to_string(port());
        }
        case AF_UNIX: return std::string(unix_prefix) + std::string(path());
        default: return {};
    }
}

bool operator==(const endpoint& a, const endpoint& b) noexcept {
    return a.size_ == b.size_ && std::memcmp(a.storage_.data(), b.storage_.data(), a.size_) == 0;
}

}  // namespace net
}  // namespace rondo::inline v0
