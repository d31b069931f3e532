// Receiving into a buffer that is found only when bytes arrive, and the lease on that buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <rondo/detail/io_operation.hpp>

namespace rondo::inline v0::detail {

class buffer_ring;

/// Bytes in a buffer of the context's ring, or in one of their own when the ring had none left.
class RONDO_API leased_buffer {
public:
    leased_buffer() noexcept = default;
    leased_buffer(leased_buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          id_(other.id_),
          ring_(std::exchange(other.ring_, nullptr)) {}
    leased_buffer& operator=(leased_buffer&& other) noexcept {
        if (this != &other) {
            give_back();
            data_ = std::exchange(other.data_, nullptr);
            size_ = std::exchange(other.size_, 0);
            id_ = other.id_;
            ring_ = std::exchange(other.ring_, nullptr);
        }
        return *this;
    }
    ~leased_buffer() { give_back(); }

    /// A buffer of its own.
    static leased_buffer allocate(std::size_t size);
    /// A copy of bytes, in a buffer of its own.
    static leased_buffer copy(const std::byte* data, std::size_t size);

    std::byte* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    void resize(std::size_t n) noexcept { size_ = n; }

private:
    friend class receive_operation;
    void give_back() noexcept {
        if (data_ != nullptr) release();
    }
    void release() noexcept;

    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::uint16_t id_ = 0;
    buffer_ring* ring_ = nullptr;  // nullptr: the bytes are on the heap
};

/// A receive whose buffer the kernel picks.
class RONDO_API receive_operation : public io_operation {
public:
    /// False when there is no memory for a buffer: res says -ENOBUFS, and nothing was started.
    bool start(int fd) noexcept;

protected:
    receive_operation(const io_ops& o) noexcept : io_operation(io_request(), o) {}
    receive_operation(receive_operation&& other) noexcept : io_operation(other), own_(std::move(other.own_)) {}
    ~receive_operation() = default;

    /// To be called first by the completion: true when the ring had no buffer and it was started again with its own.
    bool restarted() noexcept;
    /// The bytes that were received, and the buffer they are in; without bytes the buffer goes back.
    leased_buffer take() noexcept;

private:
    bool start_with_own_buffer() noexcept;

    leased_buffer own_;
};

}  // namespace rondo::inline v0::detail
