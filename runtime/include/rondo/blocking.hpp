#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/nonvoid.hpp>
#include <rondo/detail/pool_call.hpp>
#include <rondo/detail/remote.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

namespace detail {

/// A call on the pool, and the message that brings its end home.
class RONDO_API blocking_base : public leaf, public pool_call, public remote_node {
public:
    bool begin() noexcept;
    static bool is_leaf(const leaf& l) noexcept { return l.ops == &ops_table; }

protected:
    explicit blocking_base(void (*call)(blocking_base&)) noexcept
        : leaf(ops_table), pool_call(&run_call), remote_node(&came_home), call_(call) {}
    blocking_base(const blocking_base& other) noexcept : blocking_base(other.call_) {}
    ~blocking_base() = default;

    std::exception_ptr exception_;

private:
    static void run_call(pool_call& c) noexcept;
    static void came_home(remote_node& n) noexcept;
    static void cancel(leaf& l, worklist&) noexcept;
    static void describe(const leaf& l, report_line& out);
    static const leaf_ops ops_table;

    void (*call_)(blocking_base&);
    remote_context home_;
};

template <class F>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] blocking_operation : public blocking_base {
public:
    using value_type = std::invoke_result_t<F&>;
    static_assert(!is_task<value_type>::value,
                  "blocking: runs plain functions on another thread; a coroutine is awaited: co_await f()");
    static_assert(!std::is_reference_v<value_type>, "blocking: return a value or a pointer, not a reference");

    explicit blocking_operation(F f) : blocking_base(&call), fn_(std::move(f)) {}
    blocking_operation(blocking_operation&& other) noexcept(std::is_nothrow_move_constructible_v<F>)
        : blocking_base(other), fn_(std::move(other.fn_)) {}

    value_type finish() {
        if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
        if constexpr (!std::is_void_v<value_type>) return std::move(*value_);
    }
    bool failed() const noexcept { return exception_ != nullptr; }
    result<value_type> finish_result() {
        try {
            if constexpr (std::is_void_v<value_type>) return finish(), result<void>();
            else return finish();
        } catch (...) {
            return current_fault();
        }
    }

private:
    static void call(blocking_base& b) {
        auto& self = static_cast<blocking_operation&>(b);
        if constexpr (std::is_void_v<value_type>) self.fn_();
        else self.value_.emplace(self.fn_());
    }

    F fn_;
    std::optional<nonvoid<value_type>> value_;
};

}  // namespace detail

/// Runs `fn` on a thread of the bounded pool and gives what it returns: for what cannot be awaited, such as a library
/// call that blocks, or a long computation.
///
///     int n = co_await rondo::blocking([&] { return count_lines(path); });
///
/// Capture by reference: the wait keeps the scope alive. (g++ 12 destroys by-copy captures twice inside a co_await
/// expression; name such a callable first and move it in.) `fn` runs on another thread: it must not touch jobs or
/// streams of this context.
///
/// Errors: what fn throws; a `cancelled` that it throws is errc::cancelled, for this job is not. Cancellation: a call
/// that still waits for a thread is taken back; one that runs is waited for, and its result is returned. Thread safety:
/// one context.
template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
detail::blocking_operation<std::decay_t<F>> blocking(F&& fn) {
    return detail::blocking_operation<std::decay_t<F>>(std::forward<F>(fn));
}

}  // namespace rondo::inline v0
