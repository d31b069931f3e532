// Memory for coroutine frames: per-thread free lists by size, so that an awaited call costs no malloc.
//
//   heap    one per thread that makes frames; a free list per class of 16 bytes, and arenas from which blocks are cut
//   arena   512 KiB the first, 2 MiB of huge pages each further one; a row of chunks
//   chunk   64 KiB, aligned; its header names the heap, so a frame freed on another thread finds its way home
//
// Here is what a frame costs that finds a free block, and one that is freed where it was made; src/frame_pool.cpp has
// the rest. A frame above 1 KiB, and under sanitizers every frame, is plain operator new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include <rondo/export.hpp>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RONDO_POOLS_FRAMES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define RONDO_POOLS_FRAMES 0
#else
#define RONDO_POOLS_FRAMES 1
#endif
#else
#define RONDO_POOLS_FRAMES 1
#endif

namespace rondo::inline v0::detail {

inline constexpr std::size_t frame_grain = 16;
inline constexpr std::size_t max_pooled_frame = 1024;
inline constexpr std::size_t frame_chunk_size = 64 * 1024;

/// What a free block holds.
struct frame_block {
    frame_block* next;
};

/// The part of a heap that the fast paths see: blocks of (i + 1) * 16 bytes in free[i], the last freed first.
struct frame_heap {
    frame_block* free[max_pooled_frame / frame_grain];
};

/// What each chunk begins with.
struct frame_chunk {
    frame_heap* owner;
    void* arena;
};

/// This thread's heap. Until its first frame, and after its last thread-local is gone, an empty one that owns nothing.
///
/// initial-exec: one word fits the static TLS block even of a library opened late, and costs no call.
RONDO_API extern constinit thread_local frame_heap* local_frame_heap __attribute__((tls_model("initial-exec")));

RONDO_API void* allocate_frame_slow(std::size_t n);
RONDO_API void free_frame_slow(void* p, std::size_t n) noexcept;

/// Memory for a frame of n bytes, aligned to 16.
///
/// Errors: std::bad_alloc.
inline void* allocate_frame(std::size_t n) {
#if RONDO_POOLS_FRAMES
    if (n - 1 < max_pooled_frame) [[likely]] {
        frame_block*& head = local_frame_heap->free[(n - 1) / frame_grain];
        if (frame_block* const block = head; block != nullptr) [[likely]] {
            head = block->next;
            return block;
        }
    }
#endif
    return allocate_frame_slow(n);
}

/// Gives it back; n as it was allocated. From any thread, also while thread-locals and statics are being destroyed.
inline void free_frame(void* p, std::size_t n) noexcept {
#if RONDO_POOLS_FRAMES
    if (n - 1 < max_pooled_frame) [[likely]] {
        frame_heap* const heap = local_frame_heap;
        const std::uintptr_t chunk = reinterpret_cast<std::uintptr_t>(p) & ~(frame_chunk_size - 1);
        if (reinterpret_cast<const frame_chunk*>(chunk)->owner == heap) [[likely]] {
            frame_block*& head = heap->free[(n - 1) / frame_grain];
            head = ::new (p) frame_block{head};
            return;
        }
    }
#endif
    free_frame_slow(p, n);
}

/// Asks for huge pages under memory that nobody has touched yet, if there is enough of it to be worth the call: the
/// first touch of a small page costs fifty times as much a byte.
RONDO_API void prefer_huge_pages(void* p, std::size_t n) noexcept;

struct frame_counts {
    std::size_t live;            ///< frames allocated and not freed
    std::size_t reserved_bytes;  ///< held from the system for frames, in use or not
};

/// Of the whole process. Exact while no other thread makes or frees frames, else an estimate. Walks the free lists: for
/// checks and reports.
RONDO_API frame_counts count_frames();

/// Bytes held from the system for frames, in use or not. Any thread.
RONDO_API std::size_t reserved_frame_bytes() noexcept;

/// To be called by a loop that is about to sleep: gives arenas of this thread's heap that no frame is in, and none was
/// since the last look, back to the system. Returns at once where there are no big arenas; else looks at the free lists
/// at most once a second, and for at most 2 % of the time.
RONDO_API void trim_frames() noexcept;
/// The same for who has read the steady clock already. Nanoseconds; always of the same clock.
RONDO_API void trim_frames(std::int64_t now) noexcept;

/// Gives every big arena of this thread's heap that no frame is in back at once.
RONDO_API void release_frames() noexcept;

}  // namespace rondo::inline v0::detail
