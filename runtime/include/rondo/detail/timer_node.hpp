// What a wait leaves in its context's timer queue: lives in the awaiter on the coroutine frame, costs no allocation.
#pragma once

#include <cstdint>

namespace rondo::inline v0::detail {

/// A deadline. While it is armed it belongs to the queue: it must not move, and only `deadline` and `armed()` may be
/// read.
struct timer_node {
    std::int64_t deadline = 0;  // nanoseconds of the steady clock
    union {
        timer_node* next = nullptr;  // in the wheel: the node armed before this one in the same slot
        std::uint64_t sequence;      // in the heap: order among equal deadlines
    };
    // Where the queue holds it. 0: nowhere. Even: in the wheel, the address of the pointer to this node. Odd: in the
    // heap, twice its index plus one.
    std::uintptr_t place = 0;

    bool armed() const noexcept { return place != 0; }
};

}  // namespace rondo::inline v0::detail
