#include <rondo/net/detail/socket.hpp>

#include <cerrno>
#include <cstring>

namespace rondo::inline v0 {
namespace net::detail {

socket::~socket() {
    close_fd();
    if (unaccepted >= 0) sys_->close(unaccepted);
}

void socket::close_fd() noexcept {
    if (fd_ >= 0) sys_->close(std::exchange(fd_, -1));
}

void socket::close() noexcept {
    if (closed_) return;
    closed_ = true;
    unread = leased_buffer();
    if (unaccepted >= 0) sys_->close(std::exchange(unaccepted, -1));
    if (reader != nullptr) reader->request_cancel();
    if (writer != nullptr) writer->request_cancel();
    if (reader == nullptr && writer == nullptr) close_fd();
}

void socket::ended(io_operation*& slot) noexcept {
    slot = nullptr;
    if (closed_ && reader == nullptr && writer == nullptr) close_fd();
}

void socket::put_back(leased_buffer b) noexcept {
    if (closed_) return;
    if (!unread.empty()) {
        leased_buffer both = leased_buffer::allocate(b.size() + unread.size());
        std::memcpy(both.data(), b.data(), b.size());
        std::memcpy(both.data() + b.size(), unread.data(), unread.size());
        b = std::move(both);
    }
    unread = std::move(b);
}

void socket::drop_ref() noexcept {
    if (--refs_ == 0) delete this;
}

fault socket_fault(const char* operation, const socket* s, int res) {
    const std::string peer = s != nullptr ? s->peer().to_string() : std::string();
    if (res == closed_before || (res == -ECANCELED && (s == nullptr || s->is_closed())))
        return fault(errc::closed, operation).peer(peer);
    if (res == busy_before) return fault(errc::busy, operation).peer(peer);
    return fault::from_errno(-res, operation).peer(peer);
}

}  // namespace net::detail
}  // namespace rondo::inline v0
