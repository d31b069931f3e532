#include <rondo/net/detail/stream_operations.hpp>

#include <sys/socket.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rondo::inline v0 {
namespace net::detail {

namespace {

/// The common start: false, with res set, when the operation cannot run.
bool claim(socket* s, io_operation* socket::* slot, io_operation& op) noexcept {
    if (s == nullptr || s->is_closed()) {
        op.res = closed_before;
        return false;
    }
    if (s->*slot != nullptr) {
        op.res = busy_before;
        return false;
    }
    s->*slot = &op;
    return true;
}

}  // namespace

// ---- read

const io_ops read_operation::ops_table{{&io_operation::cancel, &io_operation::describe}, &read_operation::completed};

read_operation::~read_operation() {
    // The wait lost a race in the moment its bytes came: the next read gets them.
    if (!received_.empty()) socket_->put_back(std::move(received_));
}

bool read_operation::begin() noexcept {
    if (!claim(socket_.get(), &socket::reader, *this)) return false;
    if (!socket_->unread.empty()) {
        socket_->reader = nullptr;
        received_ = std::move(socket_->unread);
        res = static_cast<std::int32_t>(received_.size());
        return false;
    }
    if (start(socket_->fd())) return true;
    socket_->reader = nullptr;
    return false;
}

void read_operation::completed(io_operation& op) noexcept {
    auto& self = static_cast<read_operation&>(op);
    if (self.restarted()) return;
    self.socket_->ended(self.socket_->reader);
    self.received_ = self.take();
    complete_wait(self);
}

chunk read_operation::finish() {
    if (res < 0) socket_fault("read", socket_.get(), res).raise();
    return chunk(std::move(received_));
}

result<chunk> read_operation::finish_result() {
    if (res < 0) return socket_fault("read", socket_.get(), res);
    return chunk(std::move(received_));
}

// ---- read_some

const io_ops read_some_operation::ops_table{{&io_operation::cancel, &io_operation::describe},
                                            &read_some_operation::completed};

read_some_operation::read_some_operation(socket_ref s, mutable_bytes into) noexcept
    : io_operation(io_request(), ops_table), socket_(std::move(s)), into_(into) {}

read_some_operation::~read_some_operation() {
    if (untaken_ && res > 0) socket_->put_back(leased_buffer::copy(into_.data(), static_cast<std::size_t>(res)));
}

bool read_some_operation::begin() noexcept {
    if (!claim(socket_.get(), &socket::reader, *this)) return false;
    leased_buffer& unread = socket_->unread;
    if (into_.empty() || !unread.empty()) {
        socket_->reader = nullptr;
        const std::size_t n = std::min(into_.size(), unread.size());
        if (n != 0) std::memcpy(into_.data(), unread.data(), n);
        if (n < unread.size()) unread = leased_buffer::copy(unread.data() + n, unread.size() - n);
        else unread = leased_buffer();
        res = static_cast<std::int32_t>(n);
        untaken_ = true;
        return false;
    }
    request.code = io_code::receive;
    request.fd = socket_->fd();
    request.address = into_.data();
    request.length = static_cast<std::uint32_t>(std::min<std::size_t>(into_.size(), INT32_MAX));
    return io_operation::begin();
}

void read_some_operation::completed(io_operation& op) noexcept {
    auto& self = static_cast<read_some_operation&>(op);
    self.socket_->ended(self.socket_->reader);
    self.untaken_ = self.res > 0;
    complete_wait(self);
}

std::size_t read_some_operation::finish() {
    if (res < 0) socket_fault("read", socket_.get(), res).raise();
    untaken_ = false;
    return static_cast<std::size_t>(res);
}

result<std::size_t> read_some_operation::finish_result() {
    if (res < 0) return socket_fault("read", socket_.get(), res);
    untaken_ = false;
    return static_cast<std::size_t>(res);
}

// ---- write

const io_ops write_operation::ops_table{{&io_operation::cancel, &io_operation::describe}, &write_operation::completed};

write_operation::write_operation(socket_ref s, bytes from, bool all) noexcept
    : io_operation(io_request(), ops_table), socket_(std::move(s)), from_(from), all_(all) {}

bool write_operation::advance() noexcept {
    const bytes left = from_.drop(written_);
    request.code = io_code::send;
    request.fd = socket_->fd();
    request.address = left.data();
    request.length = static_cast<std::uint32_t>(std::min<std::size_t>(left.size(), INT32_MAX));
    // MSG_WAITALL makes the kernel go on after a short send.
    request.flags = static_cast<std::uint32_t>(MSG_NOSIGNAL | (all_ ? MSG_WAITALL : 0));
    return io_operation::begin();
}

bool write_operation::begin() noexcept {
    if (!claim(socket_.get(), &socket::writer, *this)) return false;
    if (from_.empty()) {
        socket_->writer = nullptr;
        return false;
    }
    return advance();
}

void write_operation::completed(io_operation& op) noexcept {
    auto& self = static_cast<write_operation&>(op);
    if (self.res > 0) self.written_ += static_cast<std::size_t>(self.res);
    const bool cancelled = self.waiting->reason != cancel_reason::none || self.socket_->is_closed();
    if (self.all_ && self.res > 0 && self.written_ < self.from_.size()) {
        if (!cancelled) {
            self.advance();
            return;
        }
        self.res = -ECANCELED;  // a part is not all
    }
    self.socket_->ended(self.socket_->writer);
    complete_wait(self);
}

std::size_t write_operation::finish() {
    if (res < 0) socket_fault("write", socket_.get(), res).raise();
    return written_;
}

result<std::size_t> write_operation::finish_result() {
    if (res < 0) return socket_fault("write", socket_.get(), res);
    return written_;
}

}  // namespace net::detail
}  // namespace rondo::inline v0
