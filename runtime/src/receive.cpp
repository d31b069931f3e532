#include <rondo/detail/receive.hpp>

#include <cerrno>
#include <cstring>
#include <new>

#include "context.hpp"

namespace rondo::inline v0::detail {

leased_buffer leased_buffer::allocate(std::size_t size) {
    leased_buffer b;
    b.data_ = static_cast<std::byte*>(::operator new(size));
    b.size_ = size;
    return b;
}

leased_buffer leased_buffer::copy(const std::byte* data, std::size_t size) {
    leased_buffer b = allocate(size);
    std::memcpy(b.data_, data, size);
    return b;
}

void leased_buffer::release() noexcept {
    if (ring_ != nullptr) ring_->give_back(id_);
    else ::operator delete(data_);
    data_ = nullptr;
}

bool receive_operation::start(int fd) noexcept {
    request.code = io_code::receive;
    request.fd = fd;
    const buffer_ring* const buffers = tls.context->buffers();
    if (buffers == nullptr || !buffers->is_usable()) return start_with_own_buffer();
    request.select_buffer = true;
    request.address = nullptr;
    request.length = 0;
    tls.context->start(*this, false);
    return true;
}

bool receive_operation::start_with_own_buffer() noexcept {
    request.select_buffer = false;
    try {
        own_ = leased_buffer::allocate(buffer_ring::buffer_size);
    } catch (const std::bad_alloc&) {
        res = -ENOBUFS;
        return false;
    }
    request.address = own_.data();
    request.length = buffer_ring::buffer_size;
    tls.context->start(*this, false);
    return true;
}

bool receive_operation::restarted() noexcept {
    if (res != -ENOBUFS || !request.select_buffer) return false;
    if (cancel_wanted()) {
        res = -ECANCELED;  // it had no buffer, so it took no bytes
        return false;
    }
    tls.context->meters().buffers_exhausted.add(1);
    // Whoever holds the buffers may be waiting for these very bytes, so waiting for one to come back could be for ever.
    return start_with_own_buffer();
}

leased_buffer receive_operation::take() noexcept {
    leased_buffer b = std::move(own_);
    if ((cqe_flags & IORING_CQE_F_BUFFER) != 0) {
        buffer_ring& ring = *tls.context->buffers();
        b.id_ = static_cast<std::uint16_t>(cqe_flags >> IORING_CQE_BUFFER_SHIFT);
        b.data_ = ring.data(b.id_);
        b.ring_ = &ring;
        ring.lease();
    }
    if (res <= 0) return {};
    b.size_ = static_cast<std::size_t>(res);
    return b;
}

}  // namespace rondo::inline v0::detail
