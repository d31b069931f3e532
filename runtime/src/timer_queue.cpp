#include "timer_queue.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace rondo::inline v0::detail {

namespace {

constexpr std::size_t arity = 4;
constexpr std::size_t cache_line = 64;
constexpr std::size_t lead_in = 3;  // entries before index 0, so that index 1 begins a cache line
constexpr std::size_t first_capacity = 61;
constexpr std::size_t kept_capacity = 4096;

timer_node* reversed(timer_node* list) noexcept {
    timer_node* out = nullptr;
    while (list != nullptr) {
        timer_node* const next = list->next;
        list->next = out;
        out = list;
        list = next;
    }
    return out;
}

}  // namespace

void timer_heap::push(timer_node& n) noexcept {
    if (size_ == capacity_) grow();
    n.sequence = arrivals_++;
    const std::size_t index = size_++;
    sift_up(index, {n.deadline, &n});
}

void timer_heap::push_newest_first(timer_node* list) noexcept {
    const std::size_t begin = size_;
    std::size_t end = begin;
    while (list != nullptr) {
        if (end == capacity_) {
            size_ = end;
            grow();
        }
        entries_[end++] = {list->deadline, list};
        list = list->next;
    }
    std::uint64_t arrival = arrivals_ += end - begin;
    for (size_ = begin; size_ != end; ++size_) {
        const entry e = entries_[size_];
        e.node->sequence = --arrival;
        sift_up(size_, e);
    }
}

void timer_heap::erase(timer_node& n) noexcept {
    const std::size_t index = n.place >> 1;
    n.place = 0;
    const entry last = entries_[--size_];
    if (index != size_) {
        if (index != 0 && before(last, entries_[(index - 1) / arity])) sift_up(index, last);
        else sift_down(index, last);
    }
    if (size_ == 0 && capacity_ > kept_capacity) release();
}

timer_node& timer_heap::pop() noexcept {
    timer_node& n = *entries_[0].node;
    erase(n);
    return n;
}

void timer_heap::sift_up(std::size_t index, entry e) noexcept {
    while (index != 0) {
        const std::size_t parent = (index - 1) / arity;
        if (!before(e, entries_[parent])) break;
        put(index, entries_[parent]);
        index = parent;
    }
    put(index, e);
}

void timer_heap::sift_down(std::size_t index, entry e) noexcept {
    for (;;) {
        const std::size_t child = index * arity + 1;
        if (child >= size_) break;
        const std::size_t end = std::min(child + arity, size_);
        std::size_t least = child;
        for (std::size_t other = child + 1; other < end; ++other)
            if (before(entries_[other], entries_[least])) least = other;
        if (!before(entries_[least], e)) break;
        put(index, entries_[least]);
        index = least;
    }
    put(index, e);
}

void timer_heap::grow() noexcept {
    // A deadline that cannot be kept has no one to be reported to: out of memory ends the program here.
    const std::size_t capacity = capacity_ == 0 ? first_capacity : (capacity_ + lead_in) * 2 - lead_in;
    void* const memory = ::operator new((capacity + lead_in) * sizeof(entry), std::align_val_t{cache_line});
    entry* const entries = static_cast<entry*>(memory) + lead_in;
    std::copy_n(entries_, size_, entries);
    release();
    entries_ = entries;
    capacity_ = capacity;
}

void timer_heap::release() noexcept {
    if (entries_ != nullptr) ::operator delete(entries_ - lead_in, std::align_val_t{cache_line});
    entries_ = nullptr;
    capacity_ = 0;
}

timer_queue::~timer_queue() {
    if (lists_ != nullptr) ::munmap(lists_, sizeof(lists));
}

void timer_queue::arm_elsewhere(timer_node& n, std::uint64_t slot, std::int64_t now) noexcept {
    if (slot < first_ || slot_of(now) >= first_) [[unlikely]]
        arm_after_catching_up(n, now);
    else link_far(n, slot);
}

/// Apart, so that arming a far timer saves no registers for this.
[[gnu::noinline]] void timer_queue::arm_after_catching_up(timer_node& n, std::int64_t now) noexcept {
    if (bound_ > now) catch_up(now);
    place(n);
}

/// Goes from one slot for all to the wheel, with the slot of `time` as the current one, if there are timers enough.
bool timer_queue::start_wheel(std::int64_t time) noexcept {
    if (size_ <= few) return false;
    // Fresh pages of the kernel are zero, and cost nothing until a slot on them is used.
    void* const memory = ::mmap(nullptr, sizeof(lists), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;  // one slot holds any number of timers, if not as fast
    lists_ = static_cast<lists*>(memory);
    near_ = lists_->near.data();
    near_mask_ = slots - 1;
    near_bits_[0] = 0;
    near_words_ = 0;
    advance(slot_of(time));
    place_all(all_);
    return true;
}

void timer_queue::place(timer_node& n) noexcept {
    const std::uint64_t slot = slot_of(n.deadline);
    if (slot - first_ < width_) link_near(n, slot);
    else if (slot < first_) heap_.push(n);
    else link_far(n, slot);
}

void timer_queue::link_far(timer_node& n, std::uint64_t slot) noexcept {
    const std::uint64_t granule = slot >> granule_shift;
    const unsigned level = level_of(granule ^ edge_);
    const std::size_t index = (granule >> level * level_shift) % buckets;
    link(lists_->far[level][index], n);
    far_bits_[level] |= std::uint64_t{1} << index;
    lower_bound(n.deadline);
}

/// Makes the slot of `now` the current one. Nothing in the wheel is due: bound_ > now.
void timer_queue::catch_up(std::int64_t now) noexcept {
    if (lists_ == nullptr) {
        if (!start_wheel(now)) last_seen_ = now;
        return;
    }
    const std::uint64_t slot = slot_of(now);
    if (slot < first_) return;
    advance(slot);
    take_near(slot % slots);
}

/// Makes `to` the current slot. No node of the wheel lies before it; the caller takes those in it.
void timer_queue::advance(std::uint64_t to) noexcept {
    const std::uint64_t old_edge = edge_;
    edge_ = (to >> granule_shift) + granules_ahead;
    first_ = to + 1;
    width_ = (edge_ << granule_shift) - first_;
    if (edge_ != old_edge) cascade(old_edge);
}

/// The edge moved: whatever lay in a bucket that it left behind or is now in gets its new place.
void timer_queue::cascade(std::uint64_t old_edge) noexcept {
    const unsigned top = level_of(old_edge ^ edge_);
    for (unsigned level = 0; level <= top; ++level) {
        std::uint64_t& bits = far_bits_[level];
        std::uint64_t passed = ~std::uint64_t{0};
        if (level == top) {
            // Both edges differ in this group of bits and agree in those above, so the new one is the greater here. Its
            // own bucket is split among the levels below; on level 0 it is still beyond the edge.
            const unsigned from = (old_edge >> level * level_shift) % buckets;
            const unsigned to = (edge_ >> level * level_shift) % buckets;
            passed = (passed << from) & (level == 0 ? ~(passed << to) : passed >> (buckets - 1 - to));
        }
        passed &= bits;
        bits ^= passed;
        for (; passed != 0; passed &= passed - 1) {
            const auto index = static_cast<std::size_t>(std::countr_zero(passed));
            place_all(lists_->far[level][index]);
        }
    }
}

/// Empties a list and gives each of its nodes the place that is now right, the oldest first.
void timer_queue::place_all(timer_node*& list) noexcept {
    timer_node* n = reversed(list);
    list = nullptr;
    sorted_ = false;
    while (n != nullptr) {
        timer_node* const next = n->next;
        place(*n);
        n = next;
    }
}

/// Moves a slot's nodes to the heap.
void timer_queue::take_near(std::size_t index) noexcept {
    std::uint64_t& word = near_bits_[index / 64];
    const std::uint64_t bit = std::uint64_t{1} << index % 64;
    if ((word & bit) == 0) return;
    word ^= bit;
    if (word == 0) near_words_ ^= std::uint64_t{1} << index / 64;
    timer_node*& list = near_[index];
    heap_.push_newest_first(list);
    list = nullptr;
    sorted_ = false;
}

timer_queue::found timer_queue::find_first() noexcept {
    if (const found near = find_first_near(); near.list != nullptr) return near;
    return find_first_far();
}

timer_queue::found timer_queue::find_first_near() noexcept {
    // The slots are a ring that begins at first_. The edge is the beginning of a granule, so the word in which the ring
    // begins does not hold its end as well.
    const std::size_t begin = first_ % slots;
    const std::size_t begin_word = begin / 64;
    while (near_words_ != 0) {
        const int skipped = std::countr_zero(std::rotr(near_words_, static_cast<int>(begin_word)));
        const std::size_t word = (begin_word + static_cast<std::size_t>(skipped)) % 64;
        const std::size_t index = word * 64 + static_cast<std::size_t>(std::countr_zero(near_bits_[word]));
        if (near_[index] != nullptr) return {&near_[index], first_ + (index - begin) % slots};
        take_near(index);
    }
    return {};
}

timer_queue::found timer_queue::find_first_far() noexcept {
    // A level's buckets all follow those of the level below, and within a level they are in order.
    for (unsigned level = 0; level < levels; ++level) {
        while (far_bits_[level] != 0) {
            const auto index = static_cast<std::size_t>(std::countr_zero(far_bits_[level]));
            timer_node*& list = lists_->far[level][index];
            if (list != nullptr) {
                const unsigned shift = level * level_shift;
                const std::uint64_t above = edge_ >> (shift + level_shift) << level_shift;
                return {&list, (above | index) << shift << granule_shift};
            }
            far_bits_[level] &= far_bits_[level] - 1;
        }
    }
    return {};
}

timer_node* timer_queue::pop_expired(std::int64_t now) noexcept {
    for (;;) {
        if (const std::int64_t first = heap_.first(); first <= now && first <= bound_ && !heap_.empty()) {
            --size_;
            return &heap_.pop();
        }
        if (bound_ > now) break;
        const found due = find_first();
        if (due.list == nullptr) {
            bound_ = never;
            sorted_ = false;
            if (heap_.first() > now || heap_.empty()) return nullptr;
            continue;
        }
        if (begin_of(due.slot) > bound_) {
            raise_bound(begin_of(due.slot));
            continue;
        }
        if (lists_ == nullptr) {
            if (!start_wheel(bound_)) take_near(0);
            continue;
        }
        // Slot by slot, so that the heap stays small however far the clock has jumped.
        advance(due.slot);
        take_near(due.slot % slots);
        raise_bound(begin_of(first_));
    }
    catch_up(now);
    return nullptr;
}

std::int64_t timer_queue::next_deadline() noexcept {
    for (;;) {
        const std::int64_t first = heap_.first();
        if (first <= bound_) return first;
        if (sorted_) return bound_;
        if (lists_ == nullptr && start_wheel(last_seen_)) continue;
        const found next = find_first();
        if (next.list == nullptr) {
            bound_ = never;
            return first;
        }
        raise_bound(begin_of(next.slot));
        if (first <= bound_) return first;
        // Sort this list, once for each of its nodes, rather than search it at every call. The current slot stays: the
        // wheel goes on from where the clock is.
        heap_.push_newest_first(*next.list);
        *next.list = nullptr;
    }
}

}  // namespace rondo::inline v0::detail
