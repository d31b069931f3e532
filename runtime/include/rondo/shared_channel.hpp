#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/shared_wait.hpp>
#include <rondo/error.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

/// A bounded queue between jobs of any contexts, and threads that have none.
///
///     rondo::shared_channel<request> work(64);
///     … co_await work.send(std::move(r));                       // on one context
///     … while (auto r = co_await work.receive()) handle(*r);    // on others
///
/// With capacity 0 a send waits for its receiver. Elements come out in the order in which they went in; whoever waits
/// longest is served first. An element is moved by whoever sends or receives it, under a lock: it must not be slow to
/// move. A channel within one context costs no lock: see channel.
/// Lifetime: outlives its waits. Thread safety: any thread.
template <class T>
class shared_channel {
public:
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] send_operation;
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] receive_operation;

    explicit shared_channel(std::size_t capacity) noexcept : capacity_(capacity) {}
    shared_channel(const shared_channel&) = delete;
    shared_channel& operator=(const shared_channel&) = delete;

    /// Waits for room and puts `value` in.
    ///
    /// Errors: errc::closed when the channel is closed before there was room; the element is dropped. Cancellation:
    /// ends at once, unless the element is in already; else it was not sent and is dropped.
    send_operation send(T value) { return send_operation(*this, std::move(value)); }
    /// Waits for an element; std::nullopt once the channel is closed and empty.
    ///
    /// Cancellation: ends at once, unless an element was handed over already, which is then returned.
    receive_operation receive() noexcept { return receive_operation(*this); }

    /// False, and `value` untouched, when there is no room now or the channel is closed.
    bool try_send(T&& value) {
        const std::lock_guard hold(lock_);
        return !closed_ && put(value);
    }
    /// std::nullopt when there is nothing now.
    std::optional<T> try_receive() {
        const std::lock_guard hold(lock_);
        return take();
    }
    /// Later sends fail, and those that wait; what is in can still be received. Later calls have no effect.
    void close() noexcept {
        const std::lock_guard hold(lock_);
        closed_ = true;
        while (!senders_.empty()) senders_.wake(*senders_.first());
        while (!receivers_.empty()) receivers_.wake(*receivers_.first());
    }

    bool is_closed() const noexcept {
        const std::lock_guard hold(lock_);
        return closed_;
    }
    std::size_t size() const noexcept {
        const std::lock_guard hold(lock_);
        return elements_.size();
    }
    std::size_t capacity() const noexcept { return capacity_; }

private:
    /// Hands the element to a receiver that waits, or keeps it if there is room.
    bool put(T& value) {
        while (!receivers_.empty()) {
            auto& r = static_cast<receive_operation&>(*receivers_.first());
            r.value_.emplace(std::move(value));
            if (receivers_.wake(r)) return true;
            value = std::move(*r.value_);  // of a context that has ended
            r.value_.reset();
        }
        if (elements_.size() >= capacity_) return false;
        elements_.push_back(std::move(value));
        return true;
    }
    std::optional<T> take() {
        std::optional<T> out;
        if (!elements_.empty()) {
            out.emplace(std::move(elements_.front()));
            elements_.pop_front();
            admit();
        } else if (!senders_.empty()) {
            auto& s = static_cast<send_operation&>(*senders_.first());
            out.emplace(std::move(s.value_));
            s.sent_ = true;
            senders_.wake(s);
        }
        return out;
    }
    /// Whoever waits longest to send has room now.
    void admit() {
        if (senders_.empty() || elements_.size() >= capacity_) return;
        auto& s = static_cast<send_operation&>(*senders_.first());
        elements_.push_back(std::move(s.value_));
        s.sent_ = true;
        senders_.wake(s);
    }
    /// Of a receiver that was destroyed before it could look: the element is the next one again.
    void put_back(T&& value) {
        if (!receivers_.empty() && put(value)) return;
        elements_.push_front(std::move(value));
    }

    const std::size_t capacity_;
    mutable std::mutex lock_;
    std::deque<T> elements_;
    detail::shared_wait_list senders_;
    detail::shared_wait_list receivers_;
    bool closed_ = false;
};

template <class T>
class shared_channel<T>::send_operation : public detail::shared_wait {
public:
    send_operation(shared_channel& c, T&& value)
        : shared_wait(c.lock_, "send to a shared channel"), channel_(&c), value_(std::move(value)) {}
    send_operation(send_operation&&) = default;

    bool begin() {
        const std::lock_guard hold(channel_->lock_);
        if (channel_->closed_) return false;
        sent_ = channel_->put(value_);
        if (!sent_) channel_->senders_.push_back(*this);
        return !sent_;
    }
    void finish() const {
        if (!sent_) throw error(closed());
    }
    bool failed() const noexcept { return !sent_; }
    result<void> finish_result() const {
        if (!sent_) return closed();
        return {};
    }

private:
    friend class shared_channel;
    static fault closed() { return fault(errc::closed, "send").detail("the shared channel is closed"); }

    shared_channel* channel_;
    T value_;
    bool sent_ = false;
};

template <class T>
class shared_channel<T>::receive_operation : public detail::shared_wait {
public:
    explicit receive_operation(shared_channel& c) noexcept
        : shared_wait(c.lock_, "receive from a shared channel"), channel_(&c) {}
    receive_operation(receive_operation&&) = default;
    ~receive_operation() {
        if (!value_) return;
        const std::lock_guard hold(channel_->lock_);
        channel_->put_back(std::move(*value_));
    }

    bool begin() {
        const std::lock_guard hold(channel_->lock_);
        value_ = channel_->take();
        if (value_ || channel_->closed_) return false;
        channel_->receivers_.push_back(*this);
        return true;
    }
    std::optional<T> finish() { return std::exchange(value_, std::nullopt); }
    bool failed() const noexcept { return false; }
    result<std::optional<T>> finish_result() { return finish(); }

private:
    friend class shared_channel;

    shared_channel* channel_;
    std::optional<T> value_;
};

}  // namespace rondo::inline v0
