#include <rondo/net/listener.hpp>

#include <sys/socket.h>
#include <cerrno>

namespace rondo::inline v0 {
namespace net {

namespace {

using rondo::detail::sys;

[[noreturn]] void refuse(int err, const endpoint& at) { fault::from_errno(err, "listen").peer(at.to_string()).raise(); }

/// A path left by a process that is gone: a socket that refuses connections.
bool is_stale(sys& calls, const endpoint& at) {
    if (calls.is_socket(std::string(at.path()).c_str()) != 1) return false;
    const int fd = calls.socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return false;
    const bool refused = calls.connect(fd, at.address(), at.size()) == -ECONNREFUSED;
    calls.close(fd);
    return refused;
}

/// Closes it unless somebody took it over.
class owned_fd {
public:
    owned_fd(sys& calls, int fd) noexcept : calls_(&calls), fd_(fd) {}
    ~owned_fd() {
        if (fd_ >= 0) calls_->close(fd_);
    }
    owned_fd(const owned_fd&) = delete;
    owned_fd& operator=(const owned_fd&) = delete;
    void release() noexcept { fd_ = -1; }

private:
    sys* calls_;
    int fd_;
};

void check(int res, const endpoint& at) {
    if (res < 0) refuse(-res, at);
}

}  // namespace

listener::listener(const endpoint& at, const listener_options& options) {
    if (!at) throw error(fault(errc::invalid_argument, "listen").detail("the endpoint is empty"));
    sys& calls = rondo::detail::current_sys();
    const int fd = calls.socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC);
    check(fd, at);
    owned_fd owned(calls, fd);
    if (!at.is_unix()) {
        check(calls.set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1), at);
        if (options.reuse_port()) check(calls.set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1), at);
    }
    const int bound = calls.bind(fd, at.address(), at.size());
    const bool replaced = bound == -EADDRINUSE && at.is_unix() && is_stale(calls, at) &&
                          calls.unlink(std::string(at.path()).c_str()) == 0 &&
                          calls.bind(fd, at.address(), at.size()) == 0;
    if (!replaced) check(bound, at);
    check(calls.listen(fd, options.backlog()), at);
    sockaddr_storage a{};
    unsigned size = sizeof a;
    check(calls.local_address(fd, reinterpret_cast<sockaddr*>(&a), size), at);
    local_ = endpoint(reinterpret_cast<const sockaddr*>(&a), size);
    socket_ = detail::socket_ref(new detail::socket(fd, local_));  // errors name the port that the kernel chose
    owned.release();
}

listener& listener::operator=(listener&& other) noexcept {
    if (this != &other) {
        close();
        socket_ = std::move(other.socket_);
        local_ = other.local_;
    }
    return *this;
}

listener::~listener() { close(); }

void listener::close() noexcept {
    if (!is_open()) return;
    if (local_.is_unix()) socket_->calls().unlink(std::string(local_.path()).c_str());
    socket_->close();
}

namespace detail {

const io_ops accept_operation::ops_table{{&io_operation::cancel, &io_operation::describe},
                                         &accept_operation::completed};

accept_operation::~accept_operation() {
    // The wait lost a race in the moment a connection came: the next accept gets it.
    if (fd_ < 0) return;
    if (socket_->is_closed() || socket_->unaccepted >= 0) socket_->calls().close(fd_);
    else socket_->unaccepted = fd_;
}

bool accept_operation::begin() noexcept {
    if (!socket_ || socket_->is_closed()) {
        res = closed_before;
        return false;
    }
    if (socket_->reader != nullptr) {
        res = busy_before;
        return false;
    }
    if (socket_->unaccepted >= 0) {
        fd_ = std::exchange(socket_->unaccepted, -1);
        res = fd_;
        return false;
    }
    socket_->reader = this;
    request.code = io_code::accept;
    request.fd = socket_->fd();
    request.flags = SOCK_CLOEXEC;
    return io_operation::begin();
}

void accept_operation::completed(io_operation& op) noexcept {
    auto& self = static_cast<accept_operation&>(op);
    self.socket_->ended(self.socket_->reader);
    if (self.res >= 0) self.fd_ = self.res;
    complete_wait(self);
}

stream accept_operation::finish() {
    if (res < 0) socket_fault("accept", socket_.get(), res).raise();
    return stream::adopt(std::exchange(fd_, -1));
}

result<stream> accept_operation::finish_result() {
    if (res < 0) return socket_fault("accept", socket_.get(), res);
    return stream::adopt(std::exchange(fd_, -1));
}

}  // namespace detail

}  // namespace net
}  // namespace rondo::inline v0
