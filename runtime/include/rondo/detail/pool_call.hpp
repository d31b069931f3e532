#pragma once

namespace rondo::inline v0::detail {

/// A function that waits for a thread of the blocking pool. Intrusive; its owner keeps it until `run` was called and is
/// done, or it was withdrawn.
struct pool_call {
    constexpr explicit pool_call(void (*f)(pool_call&) noexcept) noexcept : run(f) {}
    void (*run)(pool_call&) noexcept;
    pool_call* next = nullptr;
    pool_call* prev = nullptr;
    bool queued = false;
};

}  // namespace rondo::inline v0::detail
