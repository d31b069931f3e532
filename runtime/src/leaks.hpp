#pragma once

#include <cstddef>

namespace rondo::inline v0::detail {

/// A context ends with that much left.
void note_leaks(std::size_t timers, std::size_t jobs) noexcept;
/// Receive buffers that were out when their context ended, and (negative) those that came back since.
void note_buffers(std::ptrdiff_t change) noexcept;

}  // namespace rondo::inline v0::detail
