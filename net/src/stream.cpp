#include <rondo/net/stream.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace rondo::inline v0 {
namespace net {

namespace {

using rondo::detail::current_sys;
using rondo::detail::sys;

/// One of the two addresses of a socket.
endpoint address_of(sys& calls, int (sys::*get)(int, sockaddr*, unsigned&) noexcept, int fd) {
    sockaddr_storage a{};
    unsigned size = sizeof a;
    if ((calls.*get)(fd, reinterpret_cast<sockaddr*>(&a), size) != 0) return {};
    return {reinterpret_cast<const sockaddr*>(&a), size};
}

class [[nodiscard]] connect_operation final : public rondo::detail::io_operation {
public:
    connect_operation(int fd, const endpoint& to) noexcept : io_operation(request_of(fd, to)) {}
    int finish() const noexcept { return res; }
    bool failed() const noexcept { return res < 0; }
    result<int> finish_result() const noexcept { return res; }

private:
    static rondo::detail::io_request request_of(int fd, const endpoint& to) noexcept {
        rondo::detail::io_request r;
        r.code = rondo::detail::io_code::connect;
        r.fd = fd;
        r.address = to.address();
        r.offset = to.size();
        return r;
    }
};

}  // namespace

stream stream::adopt(int fd) {
    const endpoint peer = address_of(current_sys(), &sys::peer_address, fd);
    stream s{detail::socket_ref(new detail::socket(fd, peer))};
    s.no_delay(true);
    return s;
}

stream& stream::operator=(stream&& other) noexcept {
    if (this != &other) {
        close();
        socket_ = std::move(other.socket_);
    }
    return *this;
}

stream::~stream() { close(); }

task<void> stream::read_exactly(mutable_bytes into) {
    std::size_t have = 0;
    while (have < into.size()) {
        const std::size_t n = co_await read_some(into.drop(have));
        if (n == 0) {
            fault f(errc::end_of_stream, "read_exactly");
            f.peer(peer().to_string());
            f.detail(std::to_string(have) + " of " + std::to_string(into.size()) + " bytes came");
            throw error(std::move(f));
        }
        have += n;
    }
}

void stream::shutdown() {
    if (!is_open()) detail::socket_fault("shutdown", socket_.get(), detail::closed_before).raise();
    const int res = socket_->calls().shutdown(socket_->fd(), SHUT_WR);
    if (res != 0) detail::socket_fault("shutdown", socket_.get(), res).raise();
}

void stream::close() noexcept {
    if (socket_) socket_->close();
}

endpoint stream::peer() const { return socket_ ? socket_->peer() : endpoint(); }

endpoint stream::local() const {
    return is_open() ? address_of(socket_->calls(), &sys::local_address, socket_->fd()) : endpoint();
}

void stream::no_delay(bool on) {
    if (!is_open() || socket_->peer().is_unix()) return;
    // A socket that is neither tcp nor unix has no such option; there is nothing to delay then.
    socket_->calls().set_option(socket_->fd(), IPPROTO_TCP, TCP_NODELAY, on ? 1 : 0);
}

task<stream> connect(endpoint to) {
    if (!to) throw error(fault(errc::invalid_argument, "connect").detail("the endpoint is empty"));
    const int fd = current_sys().socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC);
    if (fd < 0) fault::from_errno(-fd, "connect").peer(to.to_string()).raise();
    stream s{detail::socket_ref(new detail::socket(fd, to))};
    const int res = co_await connect_operation(fd, to);
    if (res < 0) fault::from_errno(-res, "connect").peer(to.to_string()).raise();
    s.no_delay(true);
    co_return s;
}

}  // namespace net
}  // namespace rondo::inline v0
