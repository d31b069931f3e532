// What the handles of a channel share, and who waits in it.
//
// Receivers wait only while there is nothing to take, senders only while there is no room. An element is in the buffer,
// in a sender's wait, or in a receiver's; a receiver that goes before its job took the element gives it back.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <rondo/detail/ring_buffer.hpp>
#include <rondo/detail/wait_list.hpp>
#include <rondo/error.hpp>

namespace rondo::inline v0::detail {

template <class T>
class channel_state;

/// What a send into a closed channel fails with.
RONDO_API fault send_after_close();

/// Waits for an element.
template <class T>
class channel_receiver : public list_waiter {
public:
    channel_receiver& operator=(const channel_receiver&) = delete;

    bool at_once() noexcept { return channel_->take(taken_) || channel_->is_closed(); }
    void arm() noexcept { channel_->receivers_.push_back(*this); }
    bool begin() noexcept {
        if (at_once()) return false;
        arm();
        return true;
    }
    bool failed() const noexcept { return false; }

protected:
    explicit channel_receiver(channel_state<T>& c) noexcept : list_waiter("channel receive"), channel_(&c) {
        c.add_ref();
    }
    channel_receiver(channel_receiver&& other) noexcept  // before it begins
        : list_waiter(other), channel_(std::exchange(other.channel_, nullptr)) {}
    ~channel_receiver() {
        if (channel_ == nullptr) return;
        disarm();
        if (taken_.has_value()) [[unlikely]]
            channel_->give_back(std::move(*taken_));
        channel_->drop_ref();
    }

    channel_state<T>* channel_;
    std::optional<T> taken_;  // until the job has it

private:
    friend class channel_state<T>;
};

/// Waits for room, with an element that stays where it is until then.
template <class T>
class channel_sender : public list_waiter {
public:
    channel_sender& operator=(const channel_sender&) = delete;

    void arm() noexcept { channel_->senders_.push_back(*this); }
    bool failed() const noexcept { return !sent_; }
    void finish() const {
        if (!sent_) send_after_close().raise();
    }

protected:
    explicit channel_sender(channel_state<T>& c) noexcept : list_waiter("channel send"), channel_(&c) { c.add_ref(); }
    channel_sender(channel_sender&& other) noexcept  // before it begins
        : list_waiter(other), channel_(std::exchange(other.channel_, nullptr)) {}
    ~channel_sender() {
        if (channel_ == nullptr) return;
        disarm();
        channel_->drop_ref();
    }

    bool offer(T& element) noexcept {
        element_ = &element;
        sent_ = channel_->put(element);
        return sent_ || channel_->is_closed();
    }

private:
    friend class channel_state<T>;

    channel_state<T>* channel_;
    T* element_ = nullptr;
    bool sent_ = false;
};

template <class T>
class channel_state {
public:
    explicit channel_state(std::size_t capacity) : buffer_(capacity), capacity_(capacity) {}
    channel_state(const channel_state&) = delete;
    channel_state& operator=(const channel_state&) = delete;

    void add_ref() noexcept { ++refs_; }
    void drop_ref() noexcept {
        if (--refs_ == 0) delete this;
    }

    bool is_closed() const noexcept { return closed_; }
    std::size_t size() const noexcept { return buffer_.size(); }
    std::size_t capacity() const noexcept { return capacity_; }
    /// Elements that can be taken now: those of waiting senders too.
    std::size_t available(std::size_t limit) const noexcept {
        const std::size_t here = buffer_.size();
        return here < limit ? here + senders_.count(limit - here) : limit;
    }

    /// False when it is closed or has no room; `v` is as it was then.
    bool put(T& v) {
        if (closed_) return false;
        if (hand_over(v)) return true;
        if (buffer_.size() >= capacity_) return false;
        buffer_.push_back(std::move(v));
        return true;
    }
    /// False when there is nothing.
    bool take(std::optional<T>& into) noexcept {
        if (!buffer_.empty()) {
            into.emplace(buffer_.pop_front());
            while (buffer_.size() < capacity_ && !senders_.empty()) buffer_.push_back(take_from_sender());
            return true;
        }
        if (senders_.empty()) return false;
        into.emplace(take_from_sender());
        return true;
    }
    /// The job that had it in hand is gone. Takes the next place in line, beyond the capacity if need be.
    void give_back(T&& v) noexcept {
        if (!hand_over(v)) buffer_.push_front(std::move(v));
    }
    void close() noexcept {
        closed_ = true;
        receivers_.complete_all();
        senders_.complete_all();
    }

private:
    friend class channel_receiver<T>;
    friend class channel_sender<T>;
    ~channel_state() = default;

    bool hand_over(T& v) noexcept {
        auto* const r = static_cast<channel_receiver<T>*>(receivers_.pop_front());
        if (r == nullptr) return false;
        r->taken_.emplace(std::move(v));
        wake(*r);
        return true;
    }
    T take_from_sender() noexcept {
        auto* const s = static_cast<channel_sender<T>*>(senders_.pop_front());
        s->sent_ = true;
        wake(*s);
        return std::move(*s->element_);
    }

    ring_buffer<T> buffer_;
    wait_list receivers_;
    wait_list senders_;
    std::size_t capacity_;
    std::size_t refs_ = 0;
    bool closed_ = false;
};

}  // namespace rondo::inline v0::detail
