// The shared state of a promise.
//
// Everything but the claim belongs to the home context. A resolver on another thread claims the state, writes the
// outcome into it, and posts it home; there it becomes visible and the reactions are queued, first registered first.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include <rondo/detail/nonvoid.hpp>
#include <rondo/detail/remote.hpp>
#include <rondo/detail/wait_list.hpp>
#include <rondo/error.hpp>

namespace rondo::inline v0::detail {

/// Waits for a promise: a job that awaits it, or a reaction.
class RONDO_API promise_waiter : public list_waiter {
public:
    promise_waiter& operator=(const promise_waiter&) = delete;

    /// The promise will never settle, and the run is over.
    void drop() noexcept {
        if (drop_ != nullptr) drop_(*this);
    }

protected:
    explicit promise_waiter(void (*f)(promise_waiter&) noexcept) noexcept : list_waiter("promise"), drop_(f) {}
    promise_waiter(const promise_waiter&) = default;  // before it begins
    ~promise_waiter() = default;

private:
    void (*drop_)(promise_waiter&) noexcept;
};

/// What `e` says as a rejection: a null pointer is an error, and `cancelled`, which only ever means the job that it
/// unwinds, becomes an error with errc::cancelled.
RONDO_API std::exception_ptr as_rejection(std::exception_ptr e) noexcept;
/// For a promise that would wait for itself.
RONDO_API std::exception_ptr resolved_with_itself() noexcept;

class RONDO_API promise_state_base : private remote_node {
public:
    promise_state_base(const promise_state_base&) = delete;
    promise_state_base& operator=(const promise_state_base&) = delete;

    void add_ref() noexcept;
    void drop_ref() noexcept;

    /// True for the first caller ever, from any thread: it alone may write the outcome and then call publish().
    bool claim() noexcept;
    bool is_claimed() const noexcept;
    /// Makes the outcome visible: at once on the home thread, by a message from others.
    void publish(const remote_context& home) noexcept;

    settled state() const noexcept { return state_; }
    /// The outcome is `e`: an exception that was caught or that another promise was rejected with.
    void set_rejected(std::exception_ptr e) noexcept {
        exception_ = std::move(e);
        outcome_ = settled::error;
    }
    const std::exception_ptr& exception() const noexcept { return exception_; }
    /// Somebody looks at the outcome: a rejection is not reported any more.
    void handled() noexcept { handled_ = true; }

    /// Queues the waiter's job when the outcome is visible, now or later; never runs it inside the call.
    void wait(promise_waiter& w) noexcept;
    /// Whether the run that made it is the one on this thread.
    bool is_home() const noexcept;
    /// Throws when it is not.
    void check_home() const;

    /// Resolvers that exist; the last to go rejects an unsettled promise with errc::abandoned.
    void add_resolver() noexcept;
    void drop_resolver(const remote_context& home) noexcept;

protected:
    explicit promise_state_base(void (*destroy)(promise_state_base&) noexcept) noexcept;
    ~promise_state_base() = default;

private:
    static void came_home(remote_node& n) noexcept;
    void settle() noexcept;
    void never_settles() noexcept;

    void (*destroy_)(promise_state_base&) noexcept;
    wait_list waiters_;  // promise_waiters, in the order of their coming
    std::exception_ptr exception_;
    const std::uint64_t home_;  // the context that made it
    // Counted by every thread that holds a handle; accessed through the compiler's atomic built-ins so that this header
    // needs no <atomic>.
    std::uint32_t refs_ = 1;
    std::uint32_t resolvers_ = 0;
    bool claimed_ = false;
    settled outcome_ = settled::value;  // what state_ becomes
    settled state_ = settled::pending;
    bool handled_ = false;
    bool abandoned_ = false;
};

template <class T>
class promise_state final : public promise_state_base {
public:
    promise_state() noexcept : promise_state_base(&destroy) {}
    std::optional<nonvoid<T>> value;

private:
    ~promise_state() = default;
    static void destroy(promise_state_base& s) noexcept { delete static_cast<promise_state*>(&s); }
};

/// A job without a coroutine that runs a function once the promise it waits for is settled.
class RONDO_API reaction : public job, public promise_waiter {
public:
    /// Waits on `s`; frees itself after it ran, and when the promise will never settle.
    void start(promise_state_base& s) noexcept;

protected:
    reaction(void (*action)(reaction&) noexcept, void (*destroy)(promise_waiter&) noexcept) noexcept
        : job(table), promise_waiter(destroy), run_(action) {}
    ~reaction() = default;

private:
    static void finish(job&, promise_base&) noexcept {}
    static void run(job& j) noexcept;
    static const detail::leaf* within_none(const job&) noexcept { return nullptr; }
    static void describe(const job&, report_line& out);
    static const job_ops table;

    void (*run_)(reaction&) noexcept;
};

}  // namespace rondo::inline v0::detail
