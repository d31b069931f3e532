// The slow paths of the frame pool. Who may touch what of a heap:
//
//   free lists, arena being cut, spare arenas   its thread (lists: count_frames reads them)
//   returned                                    any thread pushes, its thread takes all
//   the row of arenas, who has the heap         its thread, under the registry's lock; others read under the lock
//
// Heaps are never destroyed, so a late free finds its owner: a thread that ends leaves its heap, live frames and all,
// to the next new one. A big arena goes: being cut -> full -> spare, when a sweep of the free lists finds all of its
// blocks there -> cut again, or given back to the system.
#include <rondo/detail/frame_pool.hpp>

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <mutex>
#include <utility>
#include <vector>

namespace rondo::inline v0::detail {

namespace {

constexpr std::size_t classes = max_pooled_frame / frame_grain;
constexpr std::size_t small_arena = 8 * frame_chunk_size;
constexpr std::size_t big_arena = 2 * 1024 * 1024;
constexpr std::size_t least_worth_sweeping = 4;  // big arenas
constexpr std::int64_t trim_interval = 1'000'000'000;
constexpr std::int64_t rest_per_sweep = 50;  // times as long as the sweep took

/// At the beginning of its first chunk, after the chunk's own header.
struct arena {
    arena* next;
    std::size_t size;
    std::size_t opened = 0;      // chunks
    std::size_t free_bytes = 0;  // as the last sweep found them
    std::size_t free_blocks = 0;
    bool spare = false;

    bool big() const noexcept { return size == big_arena; }
    std::byte* base() noexcept { return reinterpret_cast<std::byte*>(this) - sizeof(frame_chunk); }
};

/// A block on its way home: it has to say of which class it is.
struct returned_block : frame_block {
    std::size_t index;
};
static_assert(sizeof(returned_block) <= frame_grain);
static_assert(sizeof(frame_chunk) % frame_grain == 0 && sizeof(arena) % frame_grain == 0);

constexpr std::size_t class_size(std::size_t index) noexcept { return (index + 1) * frame_grain; }
constexpr std::size_t class_of(std::size_t n) noexcept { return (n - 1) / frame_grain; }

frame_chunk& chunk_of(void* p) noexcept {
    return *reinterpret_cast<frame_chunk*>(reinterpret_cast<std::uintptr_t>(p) & ~(frame_chunk_size - 1));
}
arena& arena_of(void* p) noexcept { return *static_cast<arena*>(chunk_of(p).arena); }

std::int64_t read_clock(clockid_t id) noexcept {
    timespec t{};
    ::clock_gettime(id, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

class heap : public frame_heap {
public:
    explicit heap(arena& first) noexcept : frame_heap(), arenas(&first), cutting_(&first) {}
    heap(const heap&) = delete;
    heap& operator=(const heap&) = delete;

    void* allocate(std::size_t index);
    void release() noexcept;
    void trim(std::int64_t now) noexcept;
    bool has_big_arenas() const noexcept { return big_ != 0; }
    void give_back(frame_block* block, std::size_t index) noexcept;  // any thread

    heap* next = nullptr;         // all there are
    heap* next_orphan = nullptr;  // those without a thread
    arena* arenas;
    std::atomic<returned_block*> returned{nullptr};
    std::atomic<std::size_t> cut{0};  // blocks made and not given back with their arena; written by the thread alone

private:
    friend heap& make_heap();

    void push(frame_block* block, std::size_t index) noexcept {
        block->next = free[index];
        free[index] = block;
    }
    frame_block* pop(std::size_t index) noexcept {
        frame_block* const block = free[index];
        if (block != nullptr) free[index] = block->next;
        return block;
    }
    void set_cut(std::size_t blocks) noexcept { cut.store(blocks, std::memory_order_relaxed); }
    std::size_t cut_blocks() const noexcept { return cut.load(std::memory_order_relaxed); }
    std::size_t used_bytes(const arena& a) const noexcept;
    void take_returned() noexcept;
    void refill();
    void open_chunk() noexcept;
    void grow();
    void sweep() noexcept;
    void unmap_spares(std::size_t count) noexcept;

    std::byte* begin_ = nullptr;  // what is left of the chunk being cut
    std::byte* end_ = nullptr;
    arena* cutting_;
    std::size_t big_ = 0;
    std::size_t spare_ = 0;
    std::size_t idle_spare_ = 0;  // of those, not needed since the last trim
    std::size_t sweep_at_ = least_worth_sweeping;
    std::int64_t next_trim_ = 0;
};

constinit frame_heap no_heap{};

/// Everything in here outlives every static: nothing has a destructor.
constinit struct {
    std::mutex lock;
    heap* all = nullptr;
    heap* orphans = nullptr;
    std::atomic<std::size_t> reserved{0};
    std::atomic<std::size_t> plain_frames{0};
    std::atomic<std::size_t> plain_bytes{0};
} registry;

/// Zeroed, aligned to `alignment`.
void* map(std::size_t size, std::size_t alignment) {
    void* const got =
        ::mmap(nullptr, size + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(got);
    const std::size_t before = (alignment - address % alignment) % alignment;
    std::byte* const base = static_cast<std::byte*>(got) + before;
    if (before != 0) ::munmap(got, before);
    ::munmap(base + size, alignment - before);
    registry.reserved.fetch_add(size, std::memory_order_relaxed);
    return base;
}

arena& make_arena(std::size_t size, std::size_t alignment) {
    auto* const base = static_cast<std::byte*>(map(size, alignment));
    if (size == big_arena) ::madvise(base, size, MADV_HUGEPAGE);
    return *::new (base + sizeof(frame_chunk)) arena{nullptr, size};
}

heap& make_heap() {
    arena& a = make_arena(small_arena, frame_chunk_size);
    constexpr std::size_t room = (sizeof(heap) + frame_grain - 1) / frame_grain * frame_grain;
    heap& h = *::new (a.base() + sizeof(frame_chunk) + sizeof(arena)) heap(a);
    h.open_chunk();
    h.begin_ += room;
    return h;
}

void heap::open_chunk() noexcept {
    std::byte* const base = cutting_->base() + cutting_->opened * frame_chunk_size;
    ::new (base) frame_chunk{this, cutting_};
    begin_ = base + sizeof(frame_chunk) + (cutting_->opened == 0 ? sizeof(arena) : 0);
    end_ = base + frame_chunk_size;
    ++cutting_->opened;
}

void* heap::allocate(std::size_t index) {
    if (frame_block* const block = pop(index)) return block;
    if (returned.load(std::memory_order_relaxed) != nullptr) {
        take_returned();
        if (frame_block* const block = pop(index)) return block;
    }
    const std::size_t size = class_size(index);
    if (static_cast<std::size_t>(end_ - begin_) < size) refill();
    set_cut(cut_blocks() + 1);
    return std::exchange(begin_, begin_ + size);
}

void heap::take_returned() noexcept {
    auto* block = returned.exchange(nullptr, std::memory_order_acquire);
    while (block != nullptr) {
        auto* const rest = static_cast<returned_block*>(block->next);
        push(block, block->index);
        block = rest;
    }
}

void heap::give_back(frame_block* block, std::size_t index) noexcept {
    auto* const home = ::new (block) returned_block{{returned.load(std::memory_order_relaxed)}, index};
    auto* head = static_cast<returned_block*>(home->next);
    while (!returned.compare_exchange_weak(head, home, std::memory_order_release, std::memory_order_relaxed))
        home->next = head;
}

/// Makes room for a block. The rest of the old chunk is one of a smaller class, so an arena that is full has no gap.
void heap::refill() {
    if (begin_ != end_) {
        push(::new (begin_) frame_block{}, class_of(static_cast<std::size_t>(end_ - begin_)));
        set_cut(cut_blocks() + 1);
        begin_ = end_;
    }
    if (cutting_ == nullptr || cutting_->opened * frame_chunk_size == cutting_->size) grow();
    open_chunk();
}

void heap::grow() {
    // Blocks of one class are no use to another: when the arenas in use have doubled, see whether some are free by now.
    if (spare_ == 0 && big_ >= sweep_at_) sweep();
    if (spare_ != 0) {
        arena* a = arenas;
        while (!a->spare) a = a->next;
        a->spare = false;
        a->opened = 0;
        --spare_;
        idle_spare_ = std::min(idle_spare_, spare_);
        cutting_ = a;
        return;
    }
    arena& a = make_arena(big_arena, big_arena);
    const std::lock_guard guard(registry.lock);
    a.next = arenas;
    arenas = &a;
    cutting_ = &a;
    ++big_;
}

std::size_t heap::used_bytes(const arena& a) const noexcept {
    const std::size_t room = a.opened * (frame_chunk_size - sizeof(frame_chunk)) - sizeof(arena);
    return &a == cutting_ ? room - static_cast<std::size_t>(end_ - begin_) : room;
}

/// Turns big arenas that no frame is in into spare ones. Reads each free block once, and again if there are such
/// arenas.
void heap::sweep() noexcept {
    take_returned();
    for (arena* a = arenas; a != nullptr; a = a->next) a->free_bytes = a->free_blocks = 0;
    for (std::size_t index = 0; index < classes; ++index) {
        for (frame_block* block = free[index]; block != nullptr; block = block->next) {
            arena& a = arena_of(block);
            a.free_bytes += class_size(index);
            ++a.free_blocks;
        }
    }

    const std::size_t spare_before = spare_;
    std::size_t blocks = 0;
    for (arena* a = arenas; a != nullptr; a = a->next) {
        if (!a->big() || a->spare || a->free_bytes != used_bytes(*a)) continue;
        a->spare = true;
        ++spare_;
        blocks += a->free_blocks;
        if (a == cutting_) {
            cutting_ = nullptr;
            begin_ = end_ = nullptr;
        }
    }
    sweep_at_ = std::max(least_worth_sweeping, (big_ - spare_) * 2);
    if (spare_ == spare_before) return;

    set_cut(cut_blocks() - blocks);
    for (frame_block*& head : free) {
        frame_block** link = &head;
        while (frame_block* const block = *link) {
            if (arena_of(block).spare) *link = block->next;
            else link = &block->next;
        }
    }
}

void heap::unmap_spares(std::size_t count) noexcept {
    if (count == 0) return;
    const std::lock_guard guard(registry.lock);
    arena** link = &arenas;
    while (count != 0) {
        arena* const a = *link;
        if (!a->spare) {
            link = &a->next;
            continue;
        }
        *link = a->next;
        ::munmap(a->base(), big_arena);
        registry.reserved.fetch_sub(big_arena, std::memory_order_relaxed);
        --count;
        --spare_;
        --big_;
    }
    idle_spare_ = std::min(idle_spare_, spare_);
}

void heap::release() noexcept {
    if (big_ != 0) sweep();
    unmap_spares(spare_);
    next_trim_ = 0;
}

void heap::trim(std::int64_t now) noexcept {
    if (now < next_trim_) return;
    const std::int64_t begin = read_clock(CLOCK_MONOTONIC);
    unmap_spares(idle_spare_);
    sweep();
    idle_spare_ = spare_;
    const std::int64_t took = read_clock(CLOCK_MONOTONIC) - begin;
    next_trim_ = now + std::max(trim_interval, took * rest_per_sweep);
}

/// Null when the thread has none.
heap* local() noexcept { return local_frame_heap == &no_heap ? nullptr : static_cast<heap*>(local_frame_heap); }

/// Runs after the C++ thread-locals are gone. A frame made later still, by another key's destructor, adopts a heap
/// again, and the system then comes back here.
void leave_heap(void* value) {
    auto& h = *static_cast<heap*>(value);
    h.release();
    local_frame_heap = &no_heap;
    const std::lock_guard guard(registry.lock);
    h.next_orphan = registry.orphans;
    registry.orphans = &h;
}

void at_thread_exit(heap& h) noexcept {
    static const pthread_key_t key = [] {
        pthread_key_t k{};
        return ::pthread_key_create(&k, leave_heap) == 0 ? k : static_cast<pthread_key_t>(-1);
    }();
    ::pthread_setspecific(key, &h);  // no key to be had: the heap stays behind, and late frees still find it
}

heap& adopt_heap() {
    heap* h = nullptr;
    {
        const std::lock_guard guard(registry.lock);
        h = registry.orphans;
        if (h != nullptr) registry.orphans = h->next_orphan;
    }
    if (h == nullptr) {
        h = &make_heap();
        const std::lock_guard guard(registry.lock);
        h->next = registry.all;
        registry.all = h;
    }
    local_frame_heap = h;
    at_thread_exit(*h);
    return *h;
}

void* allocate_plain(std::size_t n) {
    void* const p = ::operator new(n);
    registry.plain_frames.fetch_add(1, std::memory_order_relaxed);
    registry.plain_bytes.fetch_add(n, std::memory_order_relaxed);
    return p;
}

void free_plain(void* p, std::size_t n) noexcept {
    registry.plain_frames.fetch_sub(1, std::memory_order_relaxed);
    registry.plain_bytes.fetch_sub(n, std::memory_order_relaxed);
    ::operator delete(p);
}

/// Counts the free blocks of heaps whose threads may be running: then a link may be stale, and is followed only into
/// memory that belongs to some heap, and not further than there are blocks.
class block_counter {
public:
    /// Under the registry's lock, as everything here.
    block_counter() {
        for (const heap* h = registry.all; h != nullptr; h = h->next) {
            for (arena* a = h->arenas; a != nullptr; a = a->next) {
                const auto begin = reinterpret_cast<std::uintptr_t>(a->base());
                known_.push_back({begin, begin + a->size});
            }
        }
        std::sort(known_.begin(), known_.end(), [](range a, range b) { return a.begin < b.begin; });
    }

    std::size_t live(heap& h) {
        const std::size_t cut = h.cut.load(std::memory_order_relaxed);
        std::size_t left = cut;
        for (frame_block*& head : h.free) left -= length(load(head), left);
        return left - length(h.returned.load(std::memory_order_acquire), left);
    }

private:
    struct range {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
    };

    static frame_block* load(frame_block*& from) noexcept {
        return std::atomic_ref<frame_block*>(from).load(std::memory_order_relaxed);
    }
    std::size_t length(frame_block* block, std::size_t at_most) {
        std::size_t n = 0;
        for (; n != at_most && block != nullptr && knows(block); block = load(block->next)) ++n;
        return n;
    }
    bool knows(const frame_block* block) {
        const auto address = reinterpret_cast<std::uintptr_t>(block);
        if (address % frame_grain != 0) return false;
        if (address - last_.begin < last_.end - last_.begin) return true;
        const auto after = std::upper_bound(known_.begin(), known_.end(), address,
                                            [](std::uintptr_t a, range r) { return a < r.begin; });
        if (after == known_.begin() || address >= std::prev(after)->end) return false;
        last_ = *std::prev(after);
        return true;
    }

    std::vector<range> known_;
    range last_;
};

}  // namespace

constinit thread_local frame_heap* local_frame_heap = &no_heap;

void* allocate_frame_slow(std::size_t n) {
    if (!RONDO_POOLS_FRAMES || n - 1 >= max_pooled_frame) return allocate_plain(n);
    heap* const h = local();
    return (h != nullptr ? *h : adopt_heap()).allocate(class_of(n));
}

void free_frame_slow(void* p, std::size_t n) noexcept {
    if (!RONDO_POOLS_FRAMES || n - 1 >= max_pooled_frame) return free_plain(p, n);
    static_cast<heap*>(chunk_of(p).owner)->give_back(::new (p) frame_block{}, class_of(n));
}

void prefer_huge_pages(void* p, std::size_t n) noexcept {
    const auto first = (reinterpret_cast<std::uintptr_t>(p) + big_arena - 1) & ~(big_arena - 1);
    const auto last = (reinterpret_cast<std::uintptr_t>(p) + n) & ~(big_arena - 1);
    if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

frame_counts count_frames() {
    const std::lock_guard guard(registry.lock);
    std::size_t live = registry.plain_frames.load(std::memory_order_relaxed);
    block_counter counter;
    for (heap* h = registry.all; h != nullptr; h = h->next) live += counter.live(*h);
    return {live, reserved_frame_bytes()};
}

std::size_t reserved_frame_bytes() noexcept {
    return registry.reserved.load(std::memory_order_relaxed) + registry.plain_bytes.load(std::memory_order_relaxed);
}

void trim_frames() noexcept {
    heap* const h = local();
    if (h != nullptr && h->has_big_arenas()) h->trim(read_clock(CLOCK_MONOTONIC_COARSE));
}

void trim_frames(std::int64_t now) noexcept {
    heap* const h = local();
    if (h != nullptr && h->has_big_arenas()) h->trim(now);
}

void release_frames() noexcept {
    if (heap* const h = local()) h->release();
}

}  // namespace rondo::inline v0::detail
