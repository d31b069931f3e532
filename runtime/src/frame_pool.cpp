#include <rondo/detail/frame_pool.hpp>

#include <atomic>
#include <new>

namespace rondo::inline v0::detail {

namespace {
constinit std::atomic<std::size_t> live{0};
}

void* allocate_frame(std::size_t n) {
    void* const p = ::operator new(n);
    live.fetch_add(1, std::memory_order_relaxed);
    return p;
}

void free_frame(void* p, std::size_t) noexcept {
    live.fetch_sub(1, std::memory_order_relaxed);
    ::operator delete(p);
}

frame_counts count_frames() { return {live.load(std::memory_order_relaxed), 0}; }

void trim_frames() noexcept {}

}  // namespace rondo::inline v0::detail
