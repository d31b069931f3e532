// task<T>: the coroutine type of rondo.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include <rondo/detail/promise_base.hpp>

namespace rondo::inline v0 {

namespace detail {

template <class T>
struct task_promise final : awaiting_promise {
    static_assert(alignof(T) <= 16, "task<T>: T must not need more than 16-byte alignment; return a pointer to it");

    union {
        T value;
    };

    task_promise() noexcept {}
    task_promise(const task_promise&) = delete;
    task_promise& operator=(const task_promise&) = delete;
    ~task_promise() {
        if (state == settled::value) value.~T();
    }

    inline task<T> get_return_object() noexcept;
    final_awaiter final_suspend() const noexcept { return {}; }

    template <class U = T>
    void return_value(U&& v) noexcept(std::is_nothrow_constructible_v<T, U>) {
        static_assert(std::is_constructible_v<T, U>, "co_return: a task<T> gives a T, and this does not convert to it");
        if constexpr (std::is_constructible_v<T, U>) {
            ::new (static_cast<void*>(std::addressof(value))) T(std::forward<U>(v));
            state = settled::value;
        }
    }
    void unhandled_exception() noexcept {
        if (state == settled::value) value.~T();  // a local's destructor threw after the co_return
        store_exception(*this);
    }
    T take() {
        if (state != settled::value) [[unlikely]]
            rethrow(*this);
        return std::move(value);
    }
};

template <class T>
struct task_promise<T&> final : awaiting_promise {
    T* value = nullptr;

    inline task<T&> get_return_object() noexcept;
    final_awaiter final_suspend() const noexcept { return {}; }
    void return_value(T& v) noexcept {
        value = &v;
        state = settled::value;
    }
    void unhandled_exception() noexcept { store_exception(*this); }
    T& take() {
        if (state != settled::value) [[unlikely]]
            rethrow(*this);
        return *value;
    }
};

template <>
struct task_promise<void> final : awaiting_promise {
    inline task<void> get_return_object() noexcept;
    final_awaiter final_suspend() const noexcept { return {}; }
    void return_void() noexcept { state = settled::value; }
    void unhandled_exception() noexcept { store_exception(*this); }
    void take() {
        if (state != settled::value) [[unlikely]]
            rethrow(*this);
    }
};

}  // namespace detail

/// A coroutine that gives a T: lazy, move-only, awaited once, by one awaiter.
///
///     rondo::task<int> twice(int x) { co_return 2 * x; }
///     rondo::task<> use() { int y = co_await twice(21); … }
///
/// Nothing runs until it is awaited, spawned, or given to a combinator; awaiting it is a function call: it starts at
/// once on this thread and its exceptions come out of the `co_await`. A task dropped before that never runs.
///
/// It can await everything of rondo's, and awaiters of others, whose handle may be resumed on any thread. Such a wait
/// is never cancelled: it ends when they resume it, and while it lasts the run does not take itself for stuck.
///
/// Parameters are copied or moved into the coroutine; references and views are not: they must outlive it, which they do
/// when it is awaited in the same expression. Errors: an exception that leaves the body is thrown by the await.
/// Cancellation: belongs to the job, not to the task. Thread safety: one context.
template <class T>
class [[nodiscard("a task does nothing until it is awaited, spawned or given to a combinator")]] task {
public:
    using value_type = T;
    using promise_type = detail::task_promise<T>;

    task(const task&) = delete;  // a task is awaited once, by one: pass f(), or std::move(t)
    task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    task& operator=(task&& other) noexcept {
        if (this != &other) {
            destroy();
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~task() { destroy(); }

    /// False after it was moved from.
    explicit operator bool() const noexcept { return handle_ != nullptr; }

    struct access;

private:
    friend promise_type;
    explicit task(std::coroutine_handle<promise_type> h) noexcept : handle_(h) {}

    void destroy() noexcept {
        if (handle_ == nullptr) return;
        // A suspended chain is destroyed leaf first by a walk; the owner of a frame that is already gone skips it.
        if (detail::tls.destroyed != nullptr && detail::was_destroyed(handle_.address())) [[unlikely]]
            return;
        handle_.destroy();
    }

    std::coroutine_handle<promise_type> handle_;
};

/// What the runtime itself does with tasks.
template <class T>
struct task<T>::access {
    static detail::call_awaiter<promise_type> awaiter(task& t) noexcept {
        return detail::call_awaiter<promise_type>(t.handle_);
    }
    static promise_type& promise(task& t) noexcept {
        if (detail::checks_calls && t.handle_ == nullptr) [[unlikely]]
            detail::programmer_error("a task that was moved from is started");
        return t.handle_.promise();
    }
    static std::coroutine_handle<> handle(task& t) noexcept { return t.handle_; }
};

template <class T>
task<T> detail::task_promise<T>::get_return_object() noexcept {
    return task<T>(std::coroutine_handle<task_promise>::from_promise(*this));
}
template <class T>
task<T&> detail::task_promise<T&>::get_return_object() noexcept {
    return task<T&>(std::coroutine_handle<task_promise>::from_promise(*this));
}
inline task<void> detail::task_promise<void>::get_return_object() noexcept {
    return task<void>(std::coroutine_handle<task_promise>::from_promise(*this));
}

}  // namespace rondo::inline v0
