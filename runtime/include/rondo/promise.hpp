#pragma once

#include <concepts>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <rondo/detail/promise_list.hpp>
#include <rondo/detail/promise_state.hpp>
#include <rondo/result.hpp>
#include <rondo/spawn.hpp>

namespace rondo::inline v0 {

template <class T = void>
class promise;

enum class promise_status : unsigned char { pending, fulfilled, rejected };

namespace detail {

template <class T>
struct is_promise : std::false_type {};
template <class T>
struct is_promise<promise<T>> : std::true_type {
    using value_type = T;
};

/// What a callback's result stands for: a task and a promise stand for what they give.
template <class R>
struct settles_with {
    using type = R;
};
template <class T>
struct settles_with<task<T>> {
    using type = T;
};
template <class T>
struct settles_with<promise<T>> {
    using type = T;
};

/// Of a callback that takes the value of a promise<T>.
template <class F, class T>
struct callback_result : std::invoke_result<F&, const T&> {};
template <class F>
struct callback_result<F, void> : std::invoke_result<F&> {};
template <class F, class T>
using callback_result_t = typename callback_result<F, T>::type;
template <class F, class T>
concept takes_value_of = requires { typename callback_result_t<F, T>; };

template <class T>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] promise_await : public promise_waiter {
public:
    explicit promise_await(promise_state<T>& s) noexcept : promise_waiter(nullptr), state_(&s) { s.add_ref(); }
    promise_await(promise_await&& other) noexcept
        : promise_waiter(static_cast<promise_waiter&&>(other)), state_(std::exchange(other.state_, nullptr)) {}
    promise_await& operator=(promise_await&&) = delete;
    ~promise_await() {
        if (state_ != nullptr) state_->drop_ref();
    }

    bool begin() noexcept {
        if (!state_->is_home()) return false;
        state_->wait(*this);
        return true;
    }
    T finish() {
        state_->check_home();
        if (state_->state() == settled::error) std::rethrow_exception(state_->exception());
        if constexpr (std::is_void_v<T>) return;
        else if constexpr (std::is_copy_constructible_v<T>) return *state_->value;
        else return std::move(*state_->value);
    }
    bool failed() const noexcept { return state_->state() != settled::value || !state_->is_home(); }
    result<T> finish_result() {
        try {
            if constexpr (std::is_void_v<T>) return finish(), result<void>();
            else return finish();
        } catch (...) {
            return current_fault();
        }
    }

private:
    promise_state<T>* state_;
};

}  // namespace detail

/// Settles a promise with a value: what `promise::create` gives as `resolve`. Copies settle the same promise; the first
/// settlement counts and the rest has no effect. Thread safety: any thread.
template <class T>
class resolver {
public:
    resolver(detail::promise_state<T>& s, const detail::remote_context& home) noexcept : state_(&s), home_(home) {
        hold();
    }
    resolver(const resolver& other) noexcept : state_(other.state_), home_(other.home_) { hold(); }
    resolver(resolver&& other) noexcept : state_(std::exchange(other.state_, nullptr)), home_(std::move(other.home_)) {}
    resolver& operator=(resolver other) noexcept {
        std::swap(state_, other.state_);
        std::swap(home_, other.home_);
        return *this;
    }
    ~resolver() {
        if (state_ != nullptr) state_->drop_resolver(home_);
    }

    /// Fulfils it. With a promise: follows that one (on the home thread only); with its own it is rejected.
    template <class U = detail::nonvoid<T>>
    void operator()(U&& value) const {
        if constexpr (detail::is_promise<std::remove_cvref_t<U>>::value) {
            follow(std::forward<U>(value));
        } else {
            if (!state_->claim()) return;
            try {
                state_->value.emplace(std::forward<U>(value));
            } catch (...) {
                state_->set_rejected(std::current_exception());
            }
            state_->publish(home_);
        }
    }
    void operator()() const
        requires std::is_void_v<T>
    {
        (*this)(std::monostate());
    }
    /// Rejects it. This is what `reject` calls. A null pointer rejects with errc::invalid_argument, and `cancelled`
    /// with errc::cancelled.
    void reject(std::exception_ptr e) const { pass_rejection(detail::as_rejection(std::move(e))); }

private:
    void hold() const noexcept {
        if (state_ == nullptr) return;
        state_->add_ref();
        state_->add_resolver();
    }
    void pass_rejection(std::exception_ptr e) const {
        if (!state_->claim()) return;
        state_->set_rejected(std::move(e));
        state_->publish(home_);
    }
    void follow(promise<T> inner) const;

    template <class>
    friend class promise;
    template <class>
    friend struct detail::promise_list;

    detail::promise_state<T>* state_;
    detail::remote_context home_;
};

/// Rejects a promise: what `promise::create` gives as `reject`. Takes an exception object or a std::exception_ptr.
/// Thread safety: any thread.
template <class T>
class rejecter {
public:
    explicit rejecter(resolver<T> r) noexcept : resolver_(std::move(r)) {}
    template <class E>
    void operator()(E&& e) const {
        if constexpr (std::is_same_v<std::remove_cvref_t<E>, std::exception_ptr>) resolver_.reject(std::forward<E>(e));
        else resolver_.reject(std::make_exception_ptr(std::forward<E>(e)));
    }

private:
    resolver<T> resolver_;
};

/// A promise as JavaScript has it: a shareable handle to a value that comes later; settles once.
///
///     auto p = rondo::promise<int>::create([](auto resolve, auto reject) { … resolve(42); });
///     p.then([](int n) { return n + 1; }).catch_([](std::exception_ptr) { return 0; });
///     int n = co_await p;
///
/// Callbacks never run inside the call that settles or registers: they are queued, in the order of registration, and a
/// callback that throws rejects the promise that `then` returned. A callback may return a value, a promise or a task.
/// Copies are handles to the same promise.
///
/// Errors: awaiting a rejected promise throws what it was rejected with. A rejection that nobody handled is reported
/// once, when the last handle goes. A promise whose resolvers are all gone unsettled is rejected with errc::abandoned.
/// Cancellation: of an awaiting job ends its wait; the promise goes on. Thread safety: resolve and reject from any
/// thread, everything else in the run that made it: in another, awaits and callbacks are refused with
/// errc::invalid_argument.
template <class T>
class promise {
public:
    using value_type = T;

    /// Calls `fn(resolve, reject)` at once. What it throws rejects the promise.
    template <class F>
        requires std::invocable<F&, resolver<T>, rejecter<T>>
    static promise create(F&& fn) {
        promise p;
        resolver<T> resolve = p.make_resolver();
        try {
            fn(resolve, rejecter<T>(resolve));
        } catch (...) {
            resolve.reject(std::current_exception());
        }
        return p;
    }
    /// Runs the task now, until its first wait, and settles with its outcome. Its cancellation (at the end of the run)
    /// rejects with errc::cancelled.
    static promise from(task<T> t) {
        promise p;
        detail::start_now(settle(std::move(t), p.make_resolver()), "promise");
        return p;
    }
    template <class U = detail::nonvoid<T>>
    static promise resolved(U&& value) {
        promise p;
        p.make_resolver()(std::forward<U>(value));
        return p;
    }
    static promise resolved()
        requires std::is_void_v<T>
    {
        return resolved(std::monostate());
    }
    /// The promise and what settles it, where `create` is too narrow: `auto [p, resolve, reject] = …`.
    static std::tuple<promise, resolver<T>, rejecter<T>> with_resolvers() {
        promise p;
        resolver<T> resolve = p.make_resolver();
        rejecter<T> reject(resolve);
        return {std::move(p), std::move(resolve), std::move(reject)};
    }
    static promise rejected(std::exception_ptr e) {
        promise p;
        p.make_resolver().reject(std::move(e));
        return p;
    }

    promise(const promise& other) noexcept : state_(&other.state()) { state_->add_ref(); }
    promise(promise&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    promise& operator=(promise other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~promise() {
        if (state_ != nullptr) state_->drop_ref();
    }

    promise_status status() const noexcept {
        if (!is_settled()) return promise_status::pending;
        return is_fulfilled() ? promise_status::fulfilled : promise_status::rejected;
    }
    bool is_settled() const noexcept { return state().state() != detail::settled::pending; }
    bool is_fulfilled() const noexcept { return state().state() == detail::settled::value; }
    bool is_rejected() const noexcept { return state().state() == detail::settled::error; }

    /// Calls `fn(value)` when it is fulfilled; a rejection passes through. Gives the promise of fn's result.
    template <class F>
    auto then(F fn) const {
        static_assert(detail::takes_value_of<F, T>,
                      "then: the callback is called with the value, as const T&; of a promise<void> with nothing");
        using returned = detail::callback_result_t<F, T>;
        return react<returned>([fn = std::move(fn)](const promise& source, auto& out) mutable {
            if (source.is_rejected()) out.pass_rejection(source.state_->exception());
            else if constexpr (std::is_void_v<T>) call<returned>(out, fn);
            else call<returned>(out, fn, std::as_const(*source.state_->value));
        });
    }
    /// Calls `fn(exception_ptr)` when it is rejected; a value passes through. fn gives a T (or a promise or task of
    /// one).
    template <class F>
    promise catch_(F fn) const {
        static_assert(std::is_invocable_v<F&, std::exception_ptr>,
                      "catch_: the callback is called with a std::exception_ptr");
        using returned = std::invoke_result_t<F&, std::exception_ptr>;
        static_assert(std::is_convertible_v<typename detail::settles_with<returned>::type, T> || std::is_void_v<T>,
                      "catch_: the callback stands in for the value, so it has to give one of the promise's type");
        return react<T>([fn = std::move(fn)](const promise& source, auto& out) mutable {
            if (source.is_rejected()) call<returned>(out, fn, source.state_->exception());
            else source.pass_on(out);
        });
    }
    /// Calls `fn()` in either case. The outcome passes through once what fn returned, when that is a promise or a task,
    /// is fulfilled, and its value is dropped; but when fn throws or that is rejected, this is the rejection.
    template <class F>
    promise finally(F fn) const {
        static_assert(std::is_invocable_v<F&>, "finally: the callback is called with nothing");
        using returned = std::invoke_result_t<F&>;
        using value = typename detail::settles_with<returned>::type;
        static_assert(!awaitable<returned> || !std::is_same_v<value, returned>,
                      "finally: what the callback returns is not awaited; return a task or a promise");
        return react<T>([fn = std::move(fn)](const promise& source, auto& out) mutable {
            try {
                out(finished<returned>(fn).template react<T>([source](const auto& ended, auto& after) {
                    if (ended.is_rejected()) after.pass_rejection(ended.state_->exception());
                    else source.pass_on(after);
                }));
            } catch (...) {
                out.reject(std::current_exception());
            }
        });
    }

    /// Fulfilled with all values, in the order given (of promises of void: with nothing); rejected with the first
    /// rejection. An empty list is fulfilled.
    static auto all(std::vector<promise> list) { return detail::promise_list<T>::all(list); }
    /// Fulfilled with the outcome of each, in the order given, when all have settled.
    static promise<std::vector<result<T>>> all_settled(std::vector<promise> list) {
        return detail::promise_list<T>::all_settled(list);
    }
    /// Fulfilled with the first value; rejected with an aggregate_error when all are rejected, or there are none.
    static promise any(std::vector<promise> list) { return detail::promise_list<T>::any(list); }
    /// Settled as the first of them to settle. Of an empty list: rejected with errc::abandoned, for nothing will.
    static promise race(std::vector<promise> list) { return detail::promise_list<T>::race(list); }

    detail::promise_await<T> operator co_await() const noexcept { return detail::promise_await<T>(state()); }

private:
    template <class>
    friend class promise;
    template <class>
    friend class resolver;
    template <class>
    friend struct detail::promise_list;

    promise() : state_(new detail::promise_state<T>()) {}
    detail::promise_state<T>& state() const noexcept {
        if (detail::checks_calls && state_ == nullptr) [[unlikely]]
            detail::programmer_error("a promise that was moved from is used");
        return *state_;
    }
    resolver<T> make_resolver() const { return resolver<T>(*state_, detail::remote_context::current()); }

    static task<void> settle(task<T> t, resolver<T> out) {
        try {
            if constexpr (std::is_void_v<T>) {
                co_await std::move(t);
                out();
            } else {
                out(co_await std::move(t));
            }
        } catch (const cancelled&) {
            out.reject(std::current_exception());
            throw;
        } catch (...) {
            out.reject(std::current_exception());
        }
    }
    /// Settles another with this one's outcome.
    void pass_on(const resolver<T>& out) const {
        if (is_rejected()) out.pass_rejection(state_->exception());
        else if constexpr (std::is_void_v<T>) out();
        else out(*state_->value);
    }
    /// Calls, and gives the promise of its end.
    template <class R, class F>
    static auto finished(F& fn) {
        if constexpr (detail::is_promise<R>::value) {
            return fn();
        } else if constexpr (detail::is_task<R>::value) {
            return promise<typename R::value_type>::from(fn());
        } else {
            static_cast<void>(fn());
            return promise<void>::resolved();
        }
    }
    /// Calls and settles with what comes out.
    template <class R, class Out, class F, class... Args>
    static void call(Out& out, F& fn, Args&&... args) {
        try {
            if constexpr (std::is_void_v<R>) {
                fn(std::forward<Args>(args)...);
                out();
            } else if constexpr (detail::is_task<R>::value) {
                using value = typename detail::settles_with<R>::type;
                out(promise<value>::from(fn(std::forward<Args>(args)...)));
            } else {
                out(fn(std::forward<Args>(args)...));
            }
        } catch (...) {
            out.reject(std::current_exception());
        }
    }

    /// Queues `fn(*this)` for when it is settled.
    template <class F>
    void on_settled(F fn) const {
        state().check_home();
        class entry final : public detail::reaction {
        public:
            entry(promise source, F f)
                : reaction(&call_function, &destroy), source_(std::move(source)), fn_(std::move(f)) {}

        private:
            static void call_function(reaction& r) noexcept {
                auto& self = static_cast<entry&>(r);
                self.fn_(self.source_);
            }
            static void destroy(detail::promise_waiter& w) noexcept { delete static_cast<entry*>(&w); }

            promise source_;
            F fn_;
        };
        auto* const e = new entry(*this, std::move(fn));
        e->start(*state_);
    }
    /// The promise of what `fn(*this, resolver)` settles.
    template <class R, class F>
    auto react(F fn) const {
        using value = typename detail::settles_with<R>::type;
        promise<value> next;
        on_settled(
            [fn = std::move(fn), out = next.make_resolver()](const promise& source) mutable { fn(source, out); });
        return next;
    }

    detail::promise_state<T>* state_;
};

template <class T>
void resolver<T>::follow(promise<T> inner) const {
    inner.state().check_home();
    if (!state_->claim()) return;  // from here on only `inner` decides
    if (inner.state_ == state_) {
        state_->set_rejected(detail::resolved_with_itself());
        state_->publish(home_);
        return;
    }
    // One turn before it is asked, as in JavaScript: reactions of `inner` that were registered meanwhile go first.
    promise<void>::resolved().on_settled([self = *this, inner = std::move(inner)](const promise<void>&) {
        inner.on_settled([self](const promise<T>& source) {
            try {
                if (source.is_rejected()) self.state_->set_rejected(source.state_->exception());
                else self.state_->value.emplace(*source.state_->value);
            } catch (...) {
                self.state_->set_rejected(std::current_exception());
            }
            self.state_->publish(self.home_);
        });
    });
}

}  // namespace rondo::inline v0
