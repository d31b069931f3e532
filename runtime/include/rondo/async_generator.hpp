// A coroutine that gives a series of values and may wait in between.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include <rondo/detail/promise_base.hpp>
#include <rondo/error.hpp>

namespace rondo::inline v0 {

template <class T>
class async_generator;

namespace detail {

/// Back to the coroutine that asked for a value.
class yield_awaiter {
public:
    bool await_ready() const noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> h) const noexcept {
        promise_base& p = h.promise();
        if (p.inlined) p.finished = true;
        else tls.next = p.caller_promise()->handle();
    }
    void await_resume() const noexcept {}
};

/// The same with a copy, which lives in the generator's frame until the next value is asked for.
template <class T>
class yield_copy_awaiter : public yield_awaiter {
public:
    yield_copy_awaiter(const T& from, T*& value) : copy_(from), value_(&value) {}
    template <class P>
    void await_suspend(std::coroutine_handle<P> h) noexcept {
        *value_ = std::addressof(copy_);
        yield_awaiter::await_suspend(h);
    }

private:
    T copy_;
    T** value_;
};

template <class T>
struct generator_promise final : awaiting_promise {
    T* value = nullptr;  // in the generator's frame while it is suspended at a co_yield

    inline async_generator<T> get_return_object() noexcept;
    final_awaiter final_suspend() const noexcept { return {}; }
    yield_awaiter yield_value(T&& v) noexcept {
        value = std::addressof(v);
        return {};
    }
    yield_copy_awaiter<T> yield_value(const T& v) { return yield_copy_awaiter<T>(v, value); }
    void return_void() noexcept { state = settled::value; }
    void unhandled_exception() noexcept { store_exception(*this); }
};

/// Resumes a generator until its next value, as a call: it runs in the job that asks.
template <class T>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] generator_next {
public:
    using is_call = void;
    using promise_type = generator_promise<T>;

    explicit generator_next(std::coroutine_handle<promise_type> h) noexcept : generator_(h) {}
    bool await_ready() const noexcept { return generator_ == nullptr || generator_.done(); }
    template <class P>
    bool await_suspend(std::coroutine_handle<P> h,
                       std::source_location where = std::source_location::current()) noexcept {
        promise_base& parent = h.promise();
        promise_type& p = generator_.promise();
        if (p.caller != 0) {
            busy_ = true;
            return false;
        }
        parent.where = where;
        p.caller = reinterpret_cast<std::uintptr_t>(&parent);
        p.value = nullptr;
        tls.called_at = where;
        if (tls.depth >= max_inline_depth) {
            p.inlined = false;
            tls.next = generator_;
            return true;
        }
        p.inlined = true;
        p.finished = false;
        ++tls.depth;
        generator_.resume();
        --tls.depth;
        if (p.finished) return false;
        p.inlined = false;
        return true;
    }
    std::optional<T> await_resume() {
        if (generator_ == nullptr) return std::nullopt;
        promise_type& p = generator_.promise();
        if (busy_)
            throw error(fault(errc::busy, "async_generator").detail("another job waits for its next value already"));
        p.caller = 0;
        if (!generator_.done()) return std::optional<T>(std::move(*p.value));
        if (p.state == settled::value) return std::nullopt;
        // It ends once; whoever asks again gets nothing.
        struct ended {
            promise_type& promise;
            ~ended() {
                if (promise.state == settled::error) promise.exception.~exception_ptr();
                promise.state = settled::value;
            }
        } const once{p};
        rethrow(p);
    }

private:
    std::coroutine_handle<promise_type> generator_;
    bool busy_ = false;
};

}  // namespace detail

/// Gives values one by one, whenever it is asked, and may wait for anything in between.
///
///     rondo::async_generator<std::string> pages(client& c) {
///         for (int n = 1; n <= 9; ++n) co_yield co_await c.get(n);
///     }
///     auto p = pages(c);
///     while (auto page = co_await p.next()) use(*page);
///
/// Lazy: it runs only while somebody waits for its next value, in that job, from one co_yield to the next; so it needs
/// no clean-up when it is left early: destroying it destroys the body where it is suspended. Errors: an exception that
/// leaves the body comes out of next(), and the generator has ended. Cancellation: belongs to the job that waits: the
/// body's wait is cancelled, and when that leaves the body the generator has ended; a timeout around next() therefore
/// ends it. Lifetime: parameters as for a task. Thread safety: one context, and one job at a time.
template <class T>
class [[nodiscard("a generator does nothing until its next value is asked for")]] async_generator {
public:
    static_assert(!std::is_reference_v<T> && !std::is_void_v<T>,
                  "async_generator<T>: T is a value; give pointers where references are meant");
    using value_type = T;
    using promise_type = detail::generator_promise<T>;

    async_generator(async_generator&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    async_generator& operator=(async_generator&& other) noexcept {
        if (this != &other) {
            destroy();
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~async_generator() { destroy(); }

    /// The next value; std::nullopt after the last. A value is moved out.
    ///
    /// Errors: what left the body; errc::busy when another job waits for one.
    detail::generator_next<T> next() noexcept { return detail::generator_next<T>(handle_); }

private:
    friend promise_type;
    explicit async_generator(std::coroutine_handle<promise_type> h) noexcept : handle_(h) {}

    void destroy() noexcept {
        if (handle_ == nullptr) return;
        if (detail::tls.destroyed != nullptr && detail::was_destroyed(handle_.address())) [[unlikely]]
            return;
        handle_.destroy();
    }

    std::coroutine_handle<promise_type> handle_;
};

template <class T>
async_generator<T> detail::generator_promise<T>::get_return_object() noexcept {
    return async_generator<T>(std::coroutine_handle<generator_promise>::from_promise(*this));
}

}  // namespace rondo::inline v0
