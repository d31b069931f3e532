#include <rondo/detail/sys.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

#include "context.hpp"
#include "kernel_ring.hpp"

namespace rondo::inline v0::detail {

namespace {

int or_errno(int result) noexcept { return result < 0 ? -errno : result; }

class kernel_calls final : public sys {
public:
    ring* open_ring(unsigned entries) override { return new kernel_ring(entries); }

    int socket(int family, int type) noexcept override { return or_errno(::socket(family, type, 0)); }
    int set_option(int fd, int level, int name, int value) noexcept override {
        return or_errno(::setsockopt(fd, level, name, &value, sizeof value));
    }
    int bind(int fd, const sockaddr* address, unsigned size) noexcept override {
        return or_errno(::bind(fd, address, size));
    }
    int listen(int fd, int backlog) noexcept override { return or_errno(::listen(fd, backlog)); }
    int connect(int fd, const sockaddr* address, unsigned size) noexcept override {
        return or_errno(::connect(fd, address, size));
    }
    int local_address(int fd, sockaddr* address, unsigned& size) noexcept override {
        return or_errno(::getsockname(fd, address, &size));
    }
    int peer_address(int fd, sockaddr* address, unsigned& size) noexcept override {
        return or_errno(::getpeername(fd, address, &size));
    }
    int shutdown(int fd, int how) noexcept override { return or_errno(::shutdown(fd, how)); }
    int close(int fd) noexcept override { return or_errno(::close(fd)); }
    int is_socket(const char* path) noexcept override {
        struct stat s{};
        if (::lstat(path, &s) != 0) return -errno;
        return S_ISSOCK(s.st_mode) ? 1 : 0;
    }
    int unlink(const char* path) noexcept override { return or_errno(::unlink(path)); }
};

}  // namespace

sys& kernel_sys() noexcept {
    // Never destroyed: streams in static objects may close after everything else.
    static sys& calls = *new kernel_calls;
    return calls;
}

sys& current_sys() noexcept { return tls.context != nullptr ? tls.context->calls() : kernel_sys(); }

}  // namespace rondo::inline v0::detail
