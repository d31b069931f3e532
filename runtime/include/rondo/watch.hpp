#pragma once

#include <cstdint>
#include <utility>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/wait_list.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

/// A value that changes, and jobs that want to know: only the latest counts.
///
///     rondo::watch<config> current(load());
///     current.set(load());                                     // in one job
///     auto seen = current.observe();                           // in others
///     for (bool more = true; more;) {
///         apply(current.get());
///         more = co_await seen.changed();
///     }
///
/// Lifetime: outlives its observers. Thread safety: one context.
template <class T>
class watch {
public:
    class observer;
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] change_operation;

    explicit watch(T value) : value_(std::move(value)) {}
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;

    const T& get() const noexcept { return value_; }
    /// Replaces the value and wakes every observer.
    void set(T value) {
        value_ = std::move(value);
        ++version_;
        waiters_.complete_all();
    }
    /// Changes it in place: `fn(value)`.
    template <class F>
    void update(F&& fn) {
        std::forward<F>(fn)(value_);
        ++version_;
        waiters_.complete_all();
    }
    /// No change will come: observers that have seen the last are told so. Later sets are still seen.
    void close() noexcept {
        closed_ = true;
        waiters_.complete_all();
    }
    /// Has seen the present value, and waits for later ones.
    observer observe() noexcept { return observer(*this); }
    /// How often it was set.
    std::uint64_t version() const noexcept { return version_; }

private:
    T value_;
    std::uint64_t version_ = 0;
    detail::wait_list waiters_;
    bool closed_ = false;
};

/// What one job has seen of a watch.
template <class T>
class watch<T>::observer {
public:
    explicit observer(watch& w) noexcept : watch_(&w), seen_(w.version_) {}

    /// Waits until the value is another than the one seen last, which may be at once: true, and it is seen. False when
    /// the watch is closed and nothing new is there. Changes in between show as one. Cancellation: ends at once; the
    /// change is not seen.
    change_operation changed() noexcept { return change_operation(*this); }
    bool has_changed() const noexcept { return watch_->version_ != seen_; }

private:
    friend class watch;
    watch* watch_;
    std::uint64_t seen_;
};

template <class T>
class watch<T>::change_operation : public detail::list_waiter {
public:
    explicit change_operation(observer& o) noexcept : list_waiter("watch"), observer_(&o) {}

    bool begin() noexcept {
        watch& w = *observer_->watch_;
        if (observer_->has_changed() || w.closed_) return false;
        w.waiters_.push_back(*this);
        return true;
    }
    bool finish() noexcept {
        const std::uint64_t now = observer_->watch_->version_;
        return std::exchange(observer_->seen_, now) != now;
    }
    bool failed() const noexcept { return false; }
    result<bool> finish_result() noexcept { return finish(); }

private:
    observer* observer_;
};

}  // namespace rondo::inline v0
