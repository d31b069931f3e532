// Connected streams for tests.
#pragma once

#include <sys/socket.h>
#include <unistd.h>
#include <stdexcept>
#include <utility>

#include <rondo/net/listener.hpp>
#include <rondo/net/stream.hpp>
#include <rondo/when_all.hpp>

namespace {

struct fd_pair {
    int a = -1;
    int b = -1;
};

[[maybe_unused]] fd_pair socket_pair() {
    int fds[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) throw std::runtime_error("socketpair");
    return {fds[0], fds[1]};
}

/// Two ends of one connection.
class ends {
public:
    ends(rondo::net::stream first, rondo::net::stream second) : a(std::move(first)), b(std::move(second)) {}
    rondo::net::stream a;
    rondo::net::stream b;
};

[[maybe_unused]] ends unix_ends() {
    const fd_pair fds = socket_pair();
    return {rondo::net::stream::adopt(fds.a), rondo::net::stream::adopt(fds.b)};
}

[[maybe_unused]] rondo::task<ends> tcp_ends() {
    rondo::net::listener l("127.0.0.1:0");
    auto [a, b] = co_await rondo::when_all(rondo::net::connect(l.local()), l.accept());
    co_return ends(std::move(a), std::move(b));
}

}  // namespace
