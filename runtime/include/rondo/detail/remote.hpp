// Messages to a context from other threads.
#pragma once

#include <cstdint>

#include <rondo/export.hpp>

namespace rondo::inline v0::detail {

/// Intrusive; `run` is called on the context's thread, once per post.
struct remote_node {
    constexpr explicit remote_node(void (*f)(remote_node&) noexcept) noexcept : run(f) {}
    remote_node* next = nullptr;
    void (*run)(remote_node&) noexcept;
};

class inbox;
struct meters;

/// A counted reference to a context's inbox; posts from any thread, and outlives the context harmlessly.
/// While one exists the context does not take the lack of anything to wait for as a deadlock.
class RONDO_API remote_context {
public:
    remote_context() noexcept = default;
    /// Of the context that runs on this thread; throws errc::no_context when there is none.
    static remote_context current();
    /// The number of that context, which no other ever has; 0 when there is none.
    static std::uint64_t current_number() noexcept;
    remote_context(const remote_context& other) noexcept;
    remote_context(remote_context&& other) noexcept : inbox_(other.inbox_) { other.inbox_ = nullptr; }
    remote_context& operator=(remote_context other) noexcept;
    ~remote_context();

    /// Queues the node and wakes the context if it is parked. False when the context is gone: `run` will not be called.
    /// After true the owner may have ended all of it: the node and what holds this handle may be gone.
    bool post(remote_node& n) const noexcept;
    /// True on the context's own thread.
    bool is_current() const noexcept;
    explicit operator bool() const noexcept { return inbox_ != nullptr; }
    const meters& counts() const noexcept;

private:
    friend class context;
    explicit remote_context(inbox* i) noexcept;
    inbox* inbox_ = nullptr;
};

}  // namespace rondo::inline v0::detail
