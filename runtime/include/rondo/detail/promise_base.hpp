// What every rondo coroutine's promise has in common, and how one calls another.
//
// A call starts the child inside await_suspend while the nesting is shallow (cheapest: no trip through the loop), and
// hands it to the trampoline beyond that, so the native stack stays flat under every compiler and sanitizer.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>

#include <rondo/detail/foreign_awaiter.hpp>
#include <rondo/detail/frame_pool.hpp>
#include <rondo/detail/job.hpp>
#include <rondo/detail/programmer_error.hpp>

namespace rondo::inline v0 {

template <class T = void>
class task;

namespace detail {

struct promise_base {
    // Either the promise of the coroutine that awaits this one, or (bit 0 set) the job whose root this is.
    std::uintptr_t caller = 0;
    union {
        std::source_location where;    // the await it is suspended in
        std::exception_ptr exception;  // once state is settled::error
    };
    settled state = settled::pending;
    bool inlined = false;   // started by the caller's await_suspend, which is still on the stack
    bool finished = false;  // ... and reached its end in there

    promise_base() noexcept : where() {}
    promise_base(const promise_base&) = delete;
    promise_base& operator=(const promise_base&) = delete;
    ~promise_base() {
        if (state == settled::error) [[unlikely]]
            exception.~exception_ptr();
    }

    std::source_location last_await() const noexcept {
        return state == settled::error ? std::source_location() : where;
    }
    std::coroutine_handle<> handle() noexcept { return std::coroutine_handle<promise_base>::from_promise(*this); }

    bool is_root() const noexcept { return (caller & 1U) != 0; }
    void set_root(job& j) noexcept {
        if (checks_calls && caller != 0) [[unlikely]]
            programmer_error("a task that was awaited before is started again: it runs once", last_await());
        caller = reinterpret_cast<std::uintptr_t>(&j) | 1U;
    }
    job* root_job() const noexcept { return reinterpret_cast<job*>(caller & ~std::uintptr_t{1}); }
    promise_base* caller_promise() const noexcept { return reinterpret_cast<promise_base*>(caller); }

    static void* operator new(std::size_t n) { return allocate_frame(n); }
    static void operator delete(void* p, std::size_t n) noexcept { free_frame(p, n); }

    std::suspend_always initial_suspend() const noexcept { return {}; }
};

/// False while groups that the job made still run: it ends with the last of them.
RONDO_API bool may_end(job& j, promise_base& root) noexcept;

/// Ends a job whose root coroutine is done: after the groups it made, then through its ops.
inline void finish_root(promise_base& root) noexcept {
    job& j = *root.root_job();
    if (j.groups != 0 && !may_end(j, root)) [[unlikely]]
        return;
    j.ops->finish(j, root);
}

class final_awaiter {
public:
    bool await_ready() const noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> h) const noexcept {
        promise_base& p = h.promise();
        if (p.inlined) {
            p.finished = true;
            return;
        }
        if (!p.is_root()) {
            tls.next = p.caller_promise()->handle();
            return;
        }
        tls.progressed = true;
        finish_root(p);
    }
    void await_resume() const noexcept {}
};

/// The coroutine ends with the exception being handled: `cancelled` is a state, anything else is kept.
RONDO_API void store_exception(promise_base& into) noexcept;
/// Throws what a coroutine without a value ended with.
[[noreturn]] RONDO_API void rethrow(const promise_base& from);

/// Counts it, and reports a cancelled job that does not end.
RONDO_API void budget_spent(job& j, const promise_base& at) noexcept;

template <class A>
concept native_operation = std::is_base_of_v<leaf, std::remove_cvref_t<A>> && requires(std::remove_cvref_t<A>& op) {
    { op.begin() } -> std::same_as<bool>;
    op.finish();
};

/// Arms a native operation for the current job. An operation that is already done, or whose job is cancelled, does not
/// suspend.
template <class Op>
class operation_awaiter {
public:
    explicit operation_awaiter(Op& op) noexcept : op_(&op) {}
    bool await_ready() const noexcept { return false; }
    template <class P>
    bool await_suspend(std::coroutine_handle<P> h,
                       std::source_location where = std::source_location::current()) noexcept {
        job& j = *tls.current;
        promise_base& p = h.promise();
        p.where = where;
        assert(j.leaf == nullptr && "a job waits in one place");
        if constexpr (!requires { typename Op::waits_when_cancelled; }) {
            if (j.reason != cancel_reason::none) {
                op_->waiting = nullptr;
                RONDO_LEAF_EVENT(refused, j);
                return let_others_run(j, p);
            }
        }
        RONDO_LEAF_EVENT(await, j);
        op_->waiting = &j;
        j.top = &p;
        j.leaf = op_;
        if (op_->begin()) {
            tls.progressed = true;
            return true;
        }
        j.leaf = nullptr;
        RONDO_LEAF_EVENT(at_once, j);
        return let_others_run(j, p);
    }
    decltype(auto) await_resume() {
        RONDO_LEAF_EVENT(continues, *tls.current);
        if (op_->waiting == nullptr) throw_cancelled();
        return op_->finish();
    }

private:
    /// Fairness: whoever never has to wait still queues behind the others now and then.
    static bool let_others_run(job& j, promise_base& p) noexcept {
        if (--tls.budget != 0) return false;
        tls.budget = ready_budget;
        budget_spent(j, p);
        j.top = &p;
        make_ready(j);
        tls.progressed = true;
        return true;
    }

    Op* op_;
};

/// Holds the operation that a type's own `operator co_await` made.
template <native_operation Op>
class owning_awaiter {
public:
    explicit owning_awaiter(Op&& op) noexcept : op_(std::move(op)) {}
    bool await_ready() const noexcept { return false; }
    template <class P>
    bool await_suspend(std::coroutine_handle<P> h,
                       std::source_location where = std::source_location::current()) noexcept {
        return operation_awaiter<Op>(op_).await_suspend(h, where);
    }
    decltype(auto) await_resume() { return operation_awaiter<Op>(op_).await_resume(); }

private:
    Op op_;
};

template <class Promise>
class call_awaiter {
public:
    explicit call_awaiter(std::coroutine_handle<Promise> child) noexcept : child_(child) {}
    bool await_ready() const noexcept { return false; }
    template <class P>
    bool await_suspend(std::coroutine_handle<P> h,
                       std::source_location where = std::source_location::current()) noexcept {
        if (checks_calls && child_ == nullptr) [[unlikely]]
            programmer_error("co_await of a task that was moved from", where);
        promise_base& parent = h.promise();
        Promise& child = child_.promise();
        if (checks_calls && child.caller != 0) [[unlikely]]
            programmer_error("co_await of a task that was awaited before: it runs once", where);
        parent.where = where;
        child.caller = reinterpret_cast<std::uintptr_t>(&parent);
        tls.called_at = where;
        if (tls.depth >= max_inline_depth) {
            tls.next = child_;
            return true;
        }
        child.inlined = true;
        ++tls.depth;
        child_.resume();
        --tls.depth;
        if (child.finished) return false;
        child.inlined = false;
        return true;
    }
    decltype(auto) await_resume() { return child_.promise().take(); }

private:
    std::coroutine_handle<Promise> child_;
};

template <class>
inline constexpr bool always_false = false;

struct task_access;

template <class T>
struct is_task : std::false_type {};
template <class T>
struct is_task<task<T>> : std::true_type {};

/// A temporary of this type cannot be in a co_await expression.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
template <class A>
inline constexpr bool breaks_in_place =
    !std::is_lvalue_reference_v<A> && std::is_aggregate_v<A> && !std::is_trivially_destructible_v<A>;
#else
template <class>
inline constexpr bool breaks_in_place = false;
#endif

/// Base of the promises of coroutines that may await: it alone decides what `co_await x` means.
struct awaiting_promise : promise_base {
    template <class A>
    auto await_transform(A&& a) {
        using plain = std::remove_cvref_t<A>;
        if constexpr (is_task<plain>::value) {
            static_assert(!std::is_lvalue_reference_v<A>,
                          "a task is awaited once: write co_await f(), or co_await std::move(t)");
            return plain::access::awaiter(a);
        } else if constexpr (breaks_in_place<A>) {
            static_assert(
                always_false<A>,
                "g++ 12 destroys this aggregate twice inside a co_await expression: give it a constructor, or "
                "await a variable");
        } else if constexpr (native_operation<plain>) {
            return operation_awaiter<plain>(a);
        } else if constexpr (requires { typename plain::is_call; }) {
            return plain(a);  // resumes a coroutine of ours as a part of this job
        } else if constexpr (requires { std::forward<A>(a).operator co_await(); }) {
            using made = decltype(std::forward<A>(a).operator co_await());
            if constexpr (native_operation<made>) return owning_awaiter<made>(std::forward<A>(a).operator co_await());
            else return foreign_awaiter<made>(std::forward<A>(a).operator co_await());
        } else if constexpr (requires { operator co_await(std::forward<A>(a)); }) {
            return foreign_awaiter<decltype(operator co_await(std::forward<A>(a)))>(operator co_await(
                std::forward<A>(a)));
        } else if constexpr (foreign_awaiter_type<plain>) {
            return foreign_awaiter<plain&>(a);
        } else {
            static_assert(always_false<A>,
                          "this cannot be awaited: co_await takes a task, an operation of rondo, or an "
                          "awaiter");
        }
    }
};

}  // namespace detail
}  // namespace rondo::inline v0
