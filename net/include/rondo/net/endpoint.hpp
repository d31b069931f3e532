#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <rondo/export.hpp>

struct sockaddr;

namespace rondo::inline v0 {
namespace net {

/// Where to connect or listen: an IPv4 or IPv6 address with a port, or a unix socket's path. A value.
///
///     net::endpoint("127.0.0.1:80")   net::endpoint("[::1]:80")   net::endpoint("unix:/run/app.sock")
///
/// `localhost` is 127.0.0.1; other names are not looked up. Errors: errc::invalid_argument, naming the text and what is
/// wrong with it. Thread safety: a value.
class RONDO_API endpoint {
public:
    endpoint() noexcept = default;
    endpoint(std::string_view text);
    endpoint(const char* text) : endpoint(std::string_view(text)) {}
    endpoint(const std::string& text) : endpoint(std::string_view(text)) {}
    /// From what the kernel gives.
    endpoint(const sockaddr* address, std::size_t size) noexcept;

    bool is_unix() const noexcept;
    /// 0 for unix sockets.
    std::uint16_t port() const noexcept;
    /// The path of a unix socket; empty otherwise.
    std::string_view path() const noexcept;
    /// The text form that the constructor takes; empty for a default-constructed one.
    std::string to_string() const;
    explicit operator bool() const noexcept { return size_ != 0; }

    const sockaddr* address() const noexcept;
    std::uint32_t size() const noexcept { return size_; }
    int family() const noexcept;

    friend bool operator==(const endpoint& a, const endpoint& b) noexcept;

private:
    alignas(8) std::array<std::byte, 112> storage_{};  // large enough for a sockaddr_un
    std::uint32_t size_ = 0;
};

}  // namespace net
}  // namespace rondo::inline v0
