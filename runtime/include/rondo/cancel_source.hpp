#pragma once

#include <cstdint>
#include <utility>

#include <rondo/detail/combinator.hpp>
#include <rondo/detail/remote.hpp>

namespace rondo::inline v0 {

namespace detail {

class cancel_state;

/// One waiter's registration with a cancel source; on the source's list until it fires or is withdrawn.
struct cancel_registration : remote_node {
    constexpr explicit cancel_registration(void (*f)(remote_node&) noexcept) noexcept : remote_node(f) {}
    remote_context home;
    cancel_registration* next_registered = nullptr;
    cancel_registration* prev_registered = nullptr;
    bool registered = false;
};

}  // namespace detail

/// What a cancel_source gives away: may be asked whether cancellation was requested. Copies refer to the same source.
/// Thread safety: any thread.
class RONDO_API cancel_token {
public:
    cancel_token() noexcept = default;
    cancel_token(const cancel_token& other) noexcept;
    cancel_token(cancel_token&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    cancel_token& operator=(cancel_token other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~cancel_token();

    bool is_cancelled() const noexcept;

    /// For with_cancellation: false when cancellation was requested already.
    bool add(detail::cancel_registration& r) const;
    /// False when it fired: its message is on the way.
    bool withdraw(detail::cancel_registration& r) const noexcept;

private:
    friend class cancel_source;
    explicit cancel_token(detail::cancel_state* s) noexcept;
    detail::cancel_state* state_ = nullptr;
};

/// Requests cancellation from outside, from any thread: a signal handler's thread, a GUI, another context.
///
///     rondo::cancel_source stop;
///     co_await rondo::with_cancellation(stop.token(), serve());   // in the run
///     stop.cancel();                                              // anywhere
///
/// Thread safety: any thread (but not a signal handler itself).
class RONDO_API cancel_source {
public:
    cancel_source();
    cancel_token token() const noexcept { return token_; }
    /// Asks everything that runs under its tokens to end, and everything that starts later. The first call counts.
    void cancel() const noexcept;
    bool is_cancelled() const noexcept { return token_.is_cancelled(); }

private:
    cancel_token token_;
};

namespace detail {

/// One child, and a registration that counts like another.
class RONDO_API cancellation_base : public combinator, public cancel_registration {
public:
    /// Before its frame is destroyed: the source forgets it. No effect on other leaves.
    static void withdraw(leaf& l) noexcept;

protected:
    explicit cancellation_base(cancel_token t) noexcept;
    cancellation_base(cancellation_base&& other) noexcept;
    ~cancellation_base() = default;

    bool start(child_job& c) noexcept;
    void check(const child_job& c) const;

private:
    static void child_done(combinator& owner, child_job& c) noexcept;
    static void came_home(remote_node& n) noexcept;
    static const combinator_ops ops_table;

    cancel_token token_;
};

template <class A>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] cancellation_operation
    : public cancellation_base {
public:
    cancellation_operation(cancel_token t, A&& a) : cancellation_base(std::move(t)), child_(to_child(std::move(a))) {}
    cancellation_operation(cancellation_operation&&) noexcept = default;

    bool begin() noexcept { return start(child_); }
    await_result_t<A> finish() {
        check(child_);
        return child_.take();
    }

private:
    child_of<A> child_;
};

}  // namespace detail

/// Runs `a` until it ends or the token's source asks it to.
///
/// Errors: errc::cancelled when the source ended it; a value that came in spite of that is returned. With a source that
/// was cancelled before, `a` is not started. Cancellation: cancels `a` and awaits it. Lifetime: it owns `a`.
/// Thread safety: one context.
template <class A>
    requires awaitable<A>
detail::cancellation_operation<A> with_cancellation(cancel_token token, A&& a) {
    static_assert(!std::is_lvalue_reference_v<A>, "an awaitable is awaited once: pass f(), or std::move(t)");
    return detail::cancellation_operation<A>(std::move(token), std::move(a));
}

}  // namespace rondo::inline v0
