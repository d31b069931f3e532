// A timer node that knows what to do when it fires, and the calls that arm it in the running context.
#pragma once

#include <cstdint>

#include <rondo/detail/timer_node.hpp>
#include <rondo/export.hpp>

namespace rondo::inline v0::detail {

struct timer : timer_node {
    constexpr explicit timer(void (*f)(timer&) noexcept) noexcept : fire(f) {}
    void (*fire)(timer&) noexcept;
};

/// Nanoseconds of the context's clock (CLOCK_MONOTONIC, or the virtual clock).
RONDO_API std::int64_t clock_now() noexcept;
/// Reads no clock. A deadline that has passed fires in the loop's next turn.
RONDO_API void arm(timer& t, std::int64_t deadline) noexcept;
/// Whether the deadline had passed when the clock was last read. Reads no clock.
RONDO_API bool has_passed(std::int64_t deadline) noexcept;
/// No effect when it is not armed.
RONDO_API void disarm(timer& t) noexcept;

}  // namespace rondo::inline v0::detail
