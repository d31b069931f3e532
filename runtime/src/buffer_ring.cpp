#include "buffer_ring.hpp"

#include <sys/mman.h>
#include <cerrno>
#include <new>

#include "leaks.hpp"

namespace rondo::inline v0::detail {

namespace {
constexpr std::size_t entries_bytes = buffer_ring::count * sizeof(io_uring_buf);
constexpr std::size_t page = 4096;
constexpr std::size_t entries_span = (entries_bytes + page - 1) / page * page;
constexpr std::size_t total = entries_span + std::size_t{buffer_ring::count} * buffer_ring::buffer_size;
}  // namespace

buffer_ring::buffer_ring(ring& r) {
    void* const memory = ::mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    entries_ = static_cast<io_uring_buf_ring*>(memory);
    buffers_ = static_cast<std::byte*>(memory) + entries_span;
    io_uring_buf_reg reg{};
    reg.ring_addr = reinterpret_cast<std::uintptr_t>(entries_);
    reg.ring_entries = count;
    reg.bgid = group;
    usable_ = r.register_buffers(reg) == 0;
    for (std::uint16_t id = 0; id < count; ++id) add(id);
}

buffer_ring::~buffer_ring() { ::munmap(entries_, total); }

void buffer_ring::add(std::uint16_t id) noexcept {
    io_uring_buf& e = entries_->bufs[tail_ & (count - 1)];
    e.addr = reinterpret_cast<std::uintptr_t>(data(id));
    e.len = buffer_size;
    e.bid = id;
    ++tail_;
    __atomic_store_n(&entries_->tail, tail_, __ATOMIC_RELEASE);
}

void buffer_ring::give_back(std::uint16_t id) noexcept {
    --leased_;
    if (!let_go_) {
        add(id);
        return;
    }
    note_buffers(-1);
    if (leased_ == 0) delete this;
}

void buffer_ring::let_go() noexcept {
    let_go_ = true;
    note_buffers(leased_);
    if (leased_ == 0) delete this;
}

}  // namespace rondo::inline v0::detail
