// The system calls on sockets that do not go through a ring, in one table, so that a simulated kernel can stand behind
// them as it does behind the ring. None of them is on a hot path.
#pragma once

#include <rondo/export.hpp>

struct sockaddr;

namespace rondo::inline v0::detail {

class leaf_watch;
class ring;

/// What a context asks of the operating system: its ring, and calls. Each call gives a result that is not negative, or
/// -errno.
class RONDO_API sys {
public:
    sys(const sys&) = delete;
    sys& operator=(const sys&) = delete;
    virtual ~sys() = default;

    /// A new ring, which the caller deletes. Throws errc::ring_unavailable.
    virtual ring* open_ring(unsigned entries) = 0;
    /// Sees every leaf of the contexts on this table, in builds with assertions; nullptr for nobody.
    virtual leaf_watch* watch() noexcept { return nullptr; }

    virtual int socket(int family, int type) noexcept = 0;
    virtual int set_option(int fd, int level, int name, int value) noexcept = 0;
    virtual int bind(int fd, const sockaddr* address, unsigned size) noexcept = 0;
    virtual int listen(int fd, int backlog) noexcept = 0;
    /// Blocks, unless the socket does not.
    virtual int connect(int fd, const sockaddr* address, unsigned size) noexcept = 0;
    virtual int local_address(int fd, sockaddr* address, unsigned& size) noexcept = 0;
    virtual int peer_address(int fd, sockaddr* address, unsigned& size) noexcept = 0;
    virtual int shutdown(int fd, int how) noexcept = 0;
    virtual int close(int fd) noexcept = 0;
    /// 1 when the path is a socket's, 0 when it is anything else.
    virtual int is_socket(const char* path) noexcept = 0;
    virtual int unlink(const char* path) noexcept = 0;

protected:
    sys() = default;
};

/// The one of the running context; outside of a run the kernel's.
RONDO_API sys& current_sys() noexcept;
/// The kernel's.
RONDO_API sys& kernel_sys() noexcept;

}  // namespace rondo::inline v0::detail
