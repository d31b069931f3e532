#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include <rondo/detail/at_least_one.hpp>
#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/wait_list.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

/// What a receiver of a broadcast gets.
template <class T>
class broadcast_value {
public:
    broadcast_value(T v, std::uint64_t n) : value(std::move(v)), missed(n) {}
    T value;
    std::uint64_t missed;  ///< how many it was too late for, directly before this one
};

/// Every receiver gets every value that is sent after it subscribed. The sender never waits: whoever is more than
/// `capacity` values behind misses the oldest, and is told how many.
///
///     rondo::broadcast<price> prices(64);
///     auto r = prices.subscribe();                                  // in each reader
///     while (auto p = co_await r.receive()) show(p->value, p->missed);
///     prices.send(p);                                               // in the writer
///
/// Lifetime: receivers may outlive it, and get nothing more then. Thread safety: one context.
template <class T>
class broadcast {
public:
    class receiver;
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] receive_operation;

    /// Errors: errc::invalid_argument for a capacity of 0.
    explicit broadcast(std::size_t capacity) : capacity_(detail::at_least_one(capacity, "broadcast capacity")) {}
    broadcast(const broadcast&) = delete;
    broadcast& operator=(const broadcast&) = delete;
    ~broadcast() {
        while (receiver* const r = receivers_) remove(*r);
        waiters_.complete_all();
    }

    /// Gives it to every receiver there is. Without one it is dropped. After close(): no effect.
    void send(T value) {
        if (closed_ || receivers_ == nullptr) return;
        values_.push_back(std::move(value));
        if (values_.size() > capacity_) {
            values_.pop_front();
            ++first_;
        }
        waiters_.complete_all();
    }
    /// Receivers get what is left and then nothing.
    void close() noexcept {
        closed_ = true;
        waiters_.complete_all();
    }
    /// Sees what is sent from now on.
    receiver subscribe() noexcept { return receiver(*this); }
    std::size_t capacity() const noexcept { return capacity_; }
    std::size_t receivers() const noexcept {
        std::size_t n = 0;
        for (const receiver* r = receivers_; r != nullptr; r = r->next_) ++n;
        return n;
    }

private:
    void add(receiver& r) noexcept {
        r.prev_ = nullptr;
        r.next_ = receivers_;
        if (receivers_ != nullptr) receivers_->prev_ = &r;
        receivers_ = &r;
    }
    void unlink(receiver& r) noexcept {
        (r.prev_ != nullptr ? r.prev_->next_ : receivers_) = r.next_;
        if (r.next_ != nullptr) r.next_->prev_ = r.prev_;
        r.source_ = nullptr;
    }
    void remove(receiver& r) noexcept {
        unlink(r);
        if (receivers_ == nullptr) {  // nobody looks at them any more
            first_ += values_.size();
            values_.clear();
        }
    }
    std::uint64_t end() const noexcept { return first_ + values_.size(); }

    const std::size_t capacity_;
    std::deque<T> values_;
    std::uint64_t first_ = 0;  // the number of the oldest value that is kept
    receiver* receivers_ = nullptr;
    detail::wait_list waiters_;
    bool closed_ = false;
};

/// One reader's place in a broadcast. Dropping it ends the subscription.
template <class T>
class broadcast<T>::receiver {
public:
    explicit receiver(broadcast& b) noexcept : source_(&b), next_number_(b.end()) { b.add(*this); }
    receiver(receiver&& other) noexcept : source_(other.source_), next_number_(other.next_number_) {
        if (source_ == nullptr) return;
        source_->unlink(other);
        source_->add(*this);
    }
    receiver& operator=(receiver&&) = delete;
    ~receiver() {
        if (source_ != nullptr) source_->remove(*this);
    }

    /// The next value, with the number of those missed before it; std::nullopt once the broadcast is closed and all was
    /// given. One job at a time. Cancellation: ends at once; nothing is taken.
    receive_operation receive() noexcept { return receive_operation(*this); }

private:
    friend class broadcast;
    bool has_next() const noexcept { return source_ == nullptr || source_->closed_ || next_number_ < source_->end(); }
    std::optional<broadcast_value<T>> take() {
        if (source_ == nullptr) return std::nullopt;
        if (next_number_ == source_->end()) return std::nullopt;
        const std::uint64_t missed = source_->first_ > next_number_ ? source_->first_ - next_number_ : 0;
        next_number_ += missed;
        return std::optional<broadcast_value<T>>(
            std::in_place, source_->values_[static_cast<std::size_t>(next_number_++ - source_->first_)], missed);
    }

    broadcast* source_;
    std::uint64_t next_number_;
    receiver* prev_ = nullptr;
    receiver* next_ = nullptr;
};

template <class T>
class broadcast<T>::receive_operation : public detail::list_waiter {
public:
    explicit receive_operation(receiver& r) noexcept : list_waiter("broadcast"), receiver_(&r) {}

    bool begin() noexcept {
        if (receiver_->has_next()) return false;
        receiver_->source_->waiters_.push_back(*this);
        return true;
    }
    std::optional<broadcast_value<T>> finish() { return receiver_->take(); }
    bool failed() const noexcept { return false; }
    result<std::optional<broadcast_value<T>>> finish_result() { return finish(); }

private:
    receiver* receiver_;
};

}  // namespace rondo::inline v0
