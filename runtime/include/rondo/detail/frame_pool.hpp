#pragma once

#include <cstddef>
#include <cstdint>

#include <rondo/export.hpp>

namespace rondo::inline v0::detail {

/// Memory for coroutine frames.
RONDO_API void* allocate_frame(std::size_t n);
RONDO_API void free_frame(void* p, std::size_t n) noexcept;

struct frame_counts {
    std::size_t live;
    std::size_t reserved_bytes;
};
/// Of the whole process.
RONDO_API frame_counts count_frames();
RONDO_API void trim_frames() noexcept;

}  // namespace rondo::inline v0::detail
