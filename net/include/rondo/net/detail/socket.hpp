// A socket and who uses it. The stream, and every operation in flight, refer to one block; the fd is closed when it was
// given up *and* nothing is in flight, because a close under a pending receive sends no FIN and lets late bytes land in
// the old buffer.
#pragma once

#include <cstdint>

#include <rondo/detail/receive.hpp>
#include <rondo/detail/sys.hpp>
#include <rondo/net/endpoint.hpp>

namespace rondo::inline v0 {
namespace net::detail {

using namespace rondo::detail;

class RONDO_API socket {
public:
    socket(int fd, const endpoint& peer) noexcept : fd_(fd), peer_(peer) {}
    socket(const socket&) = delete;
    socket& operator=(const socket&) = delete;

    int fd() const noexcept { return fd_; }
    const endpoint& peer() const noexcept { return peer_; }
    sys& calls() const noexcept { return *sys_; }
    bool is_closed() const noexcept { return closed_; }
    /// Ends what is in flight and closes; at once when nothing is.
    void close() noexcept;
    void add_ref() noexcept { ++refs_; }
    void drop_ref() noexcept;

    /// The one operation in each direction.
    io_operation* reader = nullptr;
    io_operation* writer = nullptr;
    /// An operation left its slot.
    void ended(io_operation*& slot) noexcept;

    /// Bytes that came for a wait which was not there to take them any more; put_back() keeps them in front of those
    /// that are there already.
    leased_buffer unread;
    void put_back(leased_buffer b) noexcept;
    /// In a listener: the same for a connection.
    int unaccepted = -1;

private:
    ~socket();
    void close_fd() noexcept;

    int fd_;
    std::uint32_t refs_ = 1;
    bool closed_ = false;
    endpoint peer_;
    sys* sys_ = &current_sys();  // the kernel that the fd is of
};

/// A counted reference.
class socket_ref {
public:
    socket_ref() noexcept = default;
    explicit socket_ref(socket* s) noexcept : s_(s) {}
    socket_ref(const socket_ref& o) noexcept : s_(o.s_) {
        if (s_ != nullptr) s_->add_ref();
    }
    socket_ref(socket_ref&& o) noexcept : s_(std::exchange(o.s_, nullptr)) {}
    socket_ref& operator=(socket_ref o) noexcept {
        std::swap(s_, o.s_);
        return *this;
    }
    ~socket_ref() {
        if (s_ != nullptr) s_->drop_ref();
    }
    socket* operator->() const noexcept { return s_; }
    socket* get() const noexcept { return s_; }
    explicit operator bool() const noexcept { return s_ != nullptr; }

private:
    socket* s_ = nullptr;
};

/// How an operation that never reached the kernel, or came back from it, failed: what finish() throws.
RONDO_API fault socket_fault(const char* operation, const socket* s, int res);
inline constexpr int closed_before = -100000;  // stands in for res: used after close
inline constexpr int busy_before = -100001;    // ... by two jobs at once

}  // namespace net::detail
}  // namespace rondo::inline v0
