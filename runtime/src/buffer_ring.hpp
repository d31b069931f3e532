// Receive buffers that the kernel takes from when bytes arrive, so that an idle connection holds none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ring.hpp"

namespace rondo::inline v0::detail {

class buffer_ring {
public:
    static constexpr std::uint16_t group = 1;
    static constexpr std::uint32_t buffer_size = 8 * 1024;
    static constexpr unsigned count = 64;

    /// Registers with the ring; is_usable() is false when the kernel cannot.
    explicit buffer_ring(ring& r);
    buffer_ring(const buffer_ring&) = delete;
    buffer_ring& operator=(const buffer_ring&) = delete;

    bool is_usable() const noexcept { return usable_; }
    std::byte* data(std::uint16_t id) const noexcept { return buffers_ + std::size_t{id} * buffer_size; }
    /// Bytes were received into it; it is out until given back.
    void lease() noexcept { ++leased_; }
    void give_back(std::uint16_t id) noexcept;
    unsigned leased() const noexcept { return leased_; }
    /// The context ends: frees it, now or with the last buffer that is out.
    void let_go() noexcept;

private:
    ~buffer_ring();
    void add(std::uint16_t id) noexcept;

    io_uring_buf_ring* entries_ = nullptr;
    std::byte* buffers_ = nullptr;
    std::uint16_t tail_ = 0;
    unsigned leased_ = 0;
    bool usable_ = false;
    bool let_go_ = false;
};

}  // namespace rondo::inline v0::detail
