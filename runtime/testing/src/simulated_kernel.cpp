#include "simulated_kernel.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "simulated_ring.hpp"

namespace rondo::inline v0 {
namespace testing {

namespace {

constexpr std::size_t port_offset = offsetof(sockaddr_in, sin_port);
static_assert(port_offset == offsetof(sockaddr_in6, sin6_port));

std::string address_bytes(const sockaddr* address, unsigned size) {
    return {reinterpret_cast<const char*>(address), size};
}

bool is_unix(const std::string& address) {
    sa_family_t family = 0;
    std::memcpy(&family, address.data(), std::min(sizeof family, address.size()));
    return family == AF_UNIX;
}

std::string unix_path(const std::string& address) {
    const std::string path = address.substr(std::min(address.size(), offsetof(sockaddr_un, sun_path)));
    return path.substr(0, path.find('\0'));
}

std::uint16_t port_of(const std::string& address) {
    std::uint16_t port = 0;
    if (address.size() >= port_offset + sizeof port) std::memcpy(&port, address.data() + port_offset, sizeof port);
    return ntohs(port);
}

void set_port(std::string& address, std::uint16_t port) {
    const std::uint16_t wire = htons(port);
    if (address.size() >= port_offset + sizeof wire) std::memcpy(address.data() + port_offset, &wire, sizeof wire);
}

void copy_out(const std::string& from, sockaddr* address, unsigned& size) {
    std::memcpy(address, from.data(), std::min<std::size_t>(size, from.size()));
    size = static_cast<unsigned>(from.size());
}

}  // namespace

void simulated_kernel::violation(const std::string& what) { (violations_ += violations_.empty() ? "" : "; ") += what; }

rondo::detail::ring* simulated_kernel::open_ring(unsigned entries) { return new simulated_ring(*this, entries); }

// ---- descriptors

int simulated_kernel::add(std::shared_ptr<open_file> f) {
    files_.emplace(next_fd_, std::move(f));
    return next_fd_++;
}

std::shared_ptr<open_file> simulated_kernel::find(int fd) {
    const auto it = files_.find(fd);
    if (it != files_.end()) return it->second;
    if (fd >= first_fd && fd < next_fd_) violation("fd " + std::to_string(fd) + " was used after its close");
    return nullptr;
}

int simulated_kernel::socket(int family, int type) noexcept {
    if ((type & 0xf) != SOCK_STREAM) return -EPROTONOSUPPORT;
    auto f = std::make_shared<open_file>();
    f->family = family;
    return add(std::move(f));
}

int simulated_kernel::close(int fd) noexcept {
    const std::shared_ptr<open_file> f = find(fd);
    if (f == nullptr) return -EBADF;
    if (f->in_flight != 0) violation("fd " + std::to_string(fd) + " was closed with an operation in flight");
    files_.erase(fd);
    f->let_go();
    return 0;
}

int simulated_kernel::set_option(int fd, int, int, int) noexcept { return find(fd) == nullptr ? -EBADF : 0; }

int simulated_kernel::shutdown(int fd, int how) noexcept {
    const std::shared_ptr<open_file> f = find(fd);
    if (f == nullptr) return -EBADF;
    if (f->is != open_file::kind::stream) return -ENOTCONN;
    if (how != SHUT_RD) f->shut_write();
    if (how != SHUT_WR) f->ended = true;
    return 0;
}

// ---- addresses

int simulated_kernel::bind(int fd, const sockaddr* address, unsigned size) noexcept {
    const std::shared_ptr<open_file> f = find(fd);
    if (f == nullptr) return -EBADF;
    std::string a = address_bytes(address, size);
    if (is_unix(a)) {
        if (!paths_.insert(unix_path(a)).second) return -EADDRINUSE;
    } else if (port_of(a) == 0) {
        set_port(a, next_port_++);
    }
    std::weak_ptr<open_file>& holder = bound_[a];
    if (!holder.expired()) return -EADDRINUSE;
    holder = f;
    f->local = std::move(a);
    return 0;
}

int simulated_kernel::listen(int fd, int backlog) noexcept {
    const std::shared_ptr<open_file> f = find(fd);
    if (f == nullptr) return -EBADF;
    f->is = open_file::kind::listener;
    f->backlog_limit = static_cast<std::size_t>(std::max(backlog, 1));
    return 0;
}

int simulated_kernel::local_address(int fd, sockaddr* address, unsigned& size) noexcept {
    const std::shared_ptr<open_file> f = find(fd);
    if (f == nullptr) return -EBADF;
    copy_out(f->local, address, size);
    return 0;
}

int simulated_kernel::peer_address(int fd, sockaddr* address, unsigned& size) noexcept {
    const std::shared_ptr<open_file> f = find(fd);
    if (f == nullptr) return -EBADF;
    if (f->is != open_file::kind::stream) return -ENOTCONN;
    copy_out(f->peer, address, size);
    return 0;
}

int simulated_kernel::is_socket(const char* path) noexcept { return paths_.contains(path) ? 1 : -ENOENT; }

int simulated_kernel::unlink(const char* path) noexcept {
    if (paths_.erase(path) == 0) return -ENOENT;
    std::erase_if(bound_, [path](const auto& b) { return is_unix(b.first) && unix_path(b.first) == path; });
    return 0;
}

// ---- connections

std::shared_ptr<open_file> simulated_kernel::listener_at(const std::string& address) const {
    const auto it = bound_.find(address);
    std::shared_ptr<open_file> f = it != bound_.end() ? it->second.lock() : nullptr;
    if (f != nullptr && f->is != open_file::kind::listener) f = nullptr;
    return f;
}

bool simulated_kernel::can_connect(const std::string& address) const {
    const std::shared_ptr<open_file> l = listener_at(address);
    return l == nullptr || l->backlog.size() < l->backlog_limit;
}

void simulated_kernel::join(const std::shared_ptr<open_file>& a, const std::shared_ptr<open_file>& b) const {
    a->is = b->is = open_file::kind::stream;
    a->capacity = b->capacity = fault.socket_buffer();
    a->other = b;
    b->other = a;
    a->peer = b->local;
    b->peer = a->local;
}

int simulated_kernel::connect(open_file& from, const std::string& address) {
    if (from.is == open_file::kind::stream) return -EISCONN;
    const std::shared_ptr<open_file> l = listener_at(address);
    if (l == nullptr) return is_unix(address) && !paths_.contains(unix_path(address)) ? -ENOENT : -ECONNREFUSED;
    if (l->backlog.size() >= l->backlog_limit) return -EAGAIN;
    const auto self =
        std::find_if(files_.begin(), files_.end(), [&from](const auto& f) { return f.second.get() == &from; });
    if (self == files_.end()) return -EBADF;
    if (from.local.empty() && !is_unix(address)) {
        from.local = l->local;
        set_port(from.local, next_port_++);
    }
    auto accepted = std::make_shared<open_file>();
    accepted->family = from.family;
    accepted->local = l->local;
    join(self->second, accepted);
    l->backlog.push_back(std::move(accepted));
    return 0;
}

int simulated_kernel::connect(int fd, const sockaddr* address, unsigned size) noexcept {
    const std::shared_ptr<open_file> f = find(fd);
    return f == nullptr ? -EBADF : connect(*f, address_bytes(address, size));
}

int simulated_kernel::accept(open_file& listener) {
    if (listener.is != open_file::kind::listener) return -EINVAL;
    if (listener.backlog.empty()) return -EAGAIN;
    std::shared_ptr<open_file> f = std::move(listener.backlog.front());
    listener.backlog.pop_front();
    return add(std::move(f));
}

}  // namespace testing
}  // namespace rondo::inline v0
