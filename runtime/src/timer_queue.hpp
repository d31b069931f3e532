// The timers of one context: exact to the nanosecond, first armed first among equals, O(1) to arm and to cancel.
//
//   heap         deadlines up to and including the current slot, and whatever next_deadline() had to sort; exact order
//   wheel        4096 slots of 2^18 ns (262 us); covers what follows the current slot, at least a second
//   far levels   64 buckets each; level 0's are one granule (256 slots, 67 ms) wide, each next level's 64 times as wide
//
//       time ->   ...|current slot|          wheel          |edge          far levels          ...
//                 heap            |first_ ... first_ + width_|
//
// A deadline is never rounded: a slot is only a place to wait in until its turn comes, then its nodes move to the heap.
// Invariants:
//   - The place of a node follows from its deadline and the current slot alone, so equal deadlines lie in one list, and
//     one that was moved to the heap before its turn was armed before any equal one in the wheel. Hence the order.
//   - A list is newest first (the arm then touches one other node); whoever empties it turns it round.
//   - far level of a node = the highest group of six bits in which its granule differs from the edge. Once the edge
//     passes a bucket, the bucket's nodes move down; each moves at most once per level.
//   - bound_ <= every deadline in the wheel and the far levels; sorted_ says that it equals the least of them.
//   - A set bit may belong to an emptied list: cancel does not look. Whoever finds it clears it.
//
// Few timers need no wheel: until there are more than `few`, one slot takes all. The wheel's memory is taken then, and
// its pages are touched one by one.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <rondo/detail/timer_node.hpp>

namespace rondo::inline v0::detail {

/// A 4-ary heap by (deadline, order of arrival) whose nodes know their index.
class timer_heap {
public:
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    timer_heap() noexcept = default;
    timer_heap(const timer_heap&) = delete;
    timer_heap& operator=(const timer_heap&) = delete;
    ~timer_heap() { release(); }

    bool empty() const noexcept { return size_ == 0; }
    std::size_t size() const noexcept { return size_; }
    /// The least deadline; `never` when empty.
    std::int64_t first() const noexcept { return size_ != 0 ? entries_[0].deadline : never; }

    void push(timer_node& n) noexcept;
    /// Pushes a list in which the node that comes last arrived first.
    void push_newest_first(timer_node* list) noexcept;
    void erase(timer_node& n) noexcept;
    timer_node& pop() noexcept;

private:
    struct entry {
        std::int64_t deadline;
        timer_node* node;
    };

    static bool before(const entry& a, const entry& b) noexcept {
        return a.deadline != b.deadline ? a.deadline < b.deadline : a.node->sequence < b.node->sequence;
    }
    void put(std::size_t index, const entry& e) noexcept {
        entries_[index] = e;
        e.node->place = (index << 1) | 1;
    }
    void sift_up(std::size_t index, entry e) noexcept;
    void sift_down(std::size_t index, entry e) noexcept;
    void grow() noexcept;
    void release() noexcept;

    entry* entries_ = nullptr;  // offset so that four siblings share a cache line
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    std::uint64_t arrivals_ = 0;
};

class timer_queue {
public:
    static constexpr std::int64_t never = timer_heap::never;

    timer_queue() noexcept = default;
    timer_queue(const timer_queue&) = delete;
    timer_queue& operator=(const timer_queue&) = delete;
    ~timer_queue();

    /// Waits for n.deadline, which may be past. `now` is a reading of the clock, if a stale one.
    void arm(timer_node& n, std::int64_t now) noexcept {
        ++size_;
        const std::uint64_t slot = slot_of(n.deadline);
        if (slot - first_ < width_) [[likely]]
            link_near(n, slot);
        else arm_elsewhere(n, slot, now);
    }

    /// No effect when it is not armed.
    void cancel(timer_node& n) noexcept {
        const std::uintptr_t place = n.place;
        if (place == 0) return;
        --size_;
        if ((place & 1) != 0) {
            heap_.erase(n);
            return;
        }
        n.place = 0;
        timer_node* const next = n.next;
        *reinterpret_cast<timer_node**>(place) = next;
        if (next != nullptr) next->place = place;
        if (n.deadline == bound_) sorted_ = false;
    }

    /// Takes the first node whose deadline is not after `now`; nullptr when there is none.
    timer_node* pop_expired(std::int64_t now) noexcept;

    /// The least deadline; `never` when nothing is armed.
    std::int64_t next_deadline() noexcept;

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }

private:
    static constexpr unsigned slot_shift = 18;
    static constexpr unsigned granule_shift = 8;  // slots to granules
    static constexpr std::size_t slots = 4096;
    static constexpr std::uint64_t granules_ahead = slots >> granule_shift;
    static constexpr unsigned level_shift = 6;
    static constexpr std::size_t buckets = 64;
    static constexpr std::size_t levels = 7;  // 64 - 18 - 8 bits in groups of six
    static constexpr std::size_t few = 64;

    struct lists {
        std::array<timer_node*, slots> near;
        std::array<std::array<timer_node*, buckets>, levels> far;
    };
    struct found {
        timer_node** list = nullptr;
        std::uint64_t slot = 0;  // where it begins
    };

    // Slots, granules and the edge are unsigned: the sign bit flipped keeps the order.
    static constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    static std::uint64_t slot_of(std::int64_t time) noexcept {
        return (static_cast<std::uint64_t>(time) ^ sign) >> slot_shift;
    }
    static std::int64_t begin_of(std::uint64_t slot) noexcept {
        return static_cast<std::int64_t>((slot << slot_shift) ^ sign);
    }
    static unsigned level_of(std::uint64_t difference) noexcept {
        return static_cast<unsigned>(std::bit_width(difference | 1) - 1) / level_shift;
    }

    static void link(timer_node*& list, timer_node& n) noexcept {
        timer_node* const next = list;
        n.next = next;
        n.place = reinterpret_cast<std::uintptr_t>(&list);
        if (next != nullptr) next->place = reinterpret_cast<std::uintptr_t>(&n.next);
        list = &n;
    }
    void link_near(timer_node& n, std::uint64_t slot) noexcept {
        const std::size_t index = slot & near_mask_;
        link(near_[index], n);
        near_bits_[index / 64] |= std::uint64_t{1} << index % 64;
        near_words_ |= std::uint64_t{1} << index / 64;
        lower_bound(n.deadline);
    }
    void lower_bound(std::int64_t deadline) noexcept {
        if (deadline > bound_) return;
        bound_ = deadline;
        sorted_ = true;
    }
    void raise_bound(std::int64_t to) noexcept {
        if (to <= bound_) return;
        bound_ = to;
        sorted_ = false;
    }

    void arm_elsewhere(timer_node& n, std::uint64_t slot, std::int64_t now) noexcept;
    void arm_after_catching_up(timer_node& n, std::int64_t now) noexcept;
    void link_far(timer_node& n, std::uint64_t slot) noexcept;
    void place(timer_node& n) noexcept;
    bool start_wheel(std::int64_t time) noexcept;
    void catch_up(std::int64_t now) noexcept;
    void advance(std::uint64_t to) noexcept;
    void cascade(std::uint64_t old_edge) noexcept;
    void place_all(timer_node*& list) noexcept;
    void take_near(std::size_t index) noexcept;
    found find_first() noexcept;
    found find_first_near() noexcept;
    found find_first_far() noexcept;

    lists* lists_ = nullptr;     // the wheel, once there is one
    timer_node* all_ = nullptr;  // the only slot until then
    timer_node** near_ = &all_;
    std::uint64_t near_mask_ = 0;  // slot to index in near_
    std::uint64_t first_ = 0;      // the slot after the current one
    std::uint64_t width_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t edge_ = 0;  // the first granule beyond the wheel
    std::int64_t bound_ = never;
    std::int64_t last_seen_ = std::numeric_limits<std::int64_t>::min();  // of the clock, before there is a wheel
    std::size_t size_ = 0;
    bool sorted_ = false;
    std::uint64_t near_words_ = 0;  // which words of near_bits_ are not zero
    timer_heap heap_;
    std::array<std::uint64_t, levels> far_bits_{};
    std::array<std::uint64_t, slots / 64> near_bits_{};
};

}  // namespace rondo::inline v0::detail
