// Elements from job to job, in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/channel_state.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

namespace detail {

template <class T>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] channel_receive : public channel_receiver<T> {
public:
    explicit channel_receive(channel_state<T>& c) noexcept : channel_receiver<T>(c) {}
    channel_receive(channel_receive&&) noexcept = default;

    std::optional<T> finish() noexcept {
        std::optional<T> out(std::move(this->taken_));
        this->taken_.reset();
        return out;
    }
    result<std::optional<T>> finish_result() noexcept { return finish(); }
};

template <class T>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] channel_receive_many
    : public channel_receiver<T> {
public:
    channel_receive_many(channel_state<T>& c, std::size_t max) noexcept : channel_receiver<T>(c), max_(max) {}
    channel_receive_many(channel_receive_many&&) noexcept = default;

    std::vector<T> finish() {
        std::vector<T> out;
        if (!this->taken_.has_value()) return out;
        // What comes first may throw; from then on nothing does.
        std::size_t left = this->channel_->available(max_ - 1);
        out.reserve(left + 1);
        do {
            out.push_back(std::move(*this->taken_));
            this->taken_.reset();
        } while (left-- != 0 && this->channel_->take(this->taken_));
        return out;
    }
    result<std::vector<T>> finish_result() { return finish(); }

private:
    std::size_t max_;
};

template <class T>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] channel_send : public channel_sender<T> {
public:
    channel_send(channel_state<T>& c, T&& v) noexcept : channel_sender<T>(c), value_(std::move(v)) {}
    channel_send(channel_send&&) noexcept = default;

    bool at_once() noexcept { return this->offer(value_); }
    bool begin() noexcept {
        if (at_once()) return false;
        this->arm();
        return true;
    }
    result<void> finish_result() const {
        if (this->failed()) return send_after_close();
        return {};
    }

private:
    T value_;
};

template <class T>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] channel_send_from : public channel_sender<T> {
public:
    channel_send_from(channel_state<T>& c, T& v) noexcept : channel_sender<T>(c), value_(&v) {}
    channel_send_from(channel_send_from&&) noexcept = default;

    bool at_once() noexcept { return this->offer(*value_); }
    bool begin() noexcept {
        if (at_once()) return false;
        this->arm();
        return true;
    }
    result<void> finish_result() const {
        if (this->failed()) return send_after_close();
        return {};
    }

private:
    T* value_;
};

/// Throws errc::invalid_argument for a batch of none.
RONDO_API void check_batch(std::size_t max);

}  // namespace detail

/// A queue between jobs: senders wait while it is full, receivers while it is empty.
///
///     rondo::channel<job> jobs(16);
///     co_await jobs.send(job(1));                              // in one job
///     while (auto j = co_await jobs.receive()) work(*j);       // in others; ends when it is closed and drained
///
/// Without a capacity (0) nothing is stored: a send ends when a receiver has taken its element. Copies are handles of
/// the same channel, so pass it to jobs by value.
///
/// Order: elements come out in the order in which they went in, and who waits longest, sender or receiver, is served
/// first. Every element is received once, still in the channel, or destroyed with it: when a job goes before it could
/// take the element it was given (it lost a race, its run ended), the element goes to the next receiver in line, or
/// back to the front. Then it stands behind what others took meanwhile, and size() may exceed the capacity by it.
///
/// Memory: the places for `capacity` elements are taken at the start; waiting takes none. Moving a T must not throw.
/// Lifetime: the waits in it keep it. It is not closed when handles go: say close(). Thread safety: one context.
template <class T>
class channel {
    static_assert(std::is_object_v<T> && !std::is_const_v<T>, "channel<T>: T is the type of a value, and not const");
    static_assert(
        std::is_nothrow_move_constructible_v<T>,
        "channel<T>: T has to have a move constructor that is noexcept, or an element could be lost on its way");

public:
    using value_type = T;

    explicit channel(std::size_t capacity = 0) : state_(new detail::channel_state<T>(capacity)) { state_->add_ref(); }
    channel(const channel& other) noexcept : state_(&other.state()) { state_->add_ref(); }
    channel(channel&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    channel& operator=(channel other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~channel() {
        if (state_ != nullptr) state_->drop_ref();
    }

    /// Waits until there is room, or for a channel without capacity until a receiver has the element.
    ///
    /// Errors: errc::closed when it is closed, before or while this waits; the element has not gone in then.
    /// Cancellation: ends at once; the element has not gone in. In both cases it is destroyed with the operation:
    /// send_from() leaves it with the caller.
    detail::channel_send<T> send(T value) const noexcept { return detail::channel_send<T>(state(), std::move(value)); }
    /// The same for an element that stays in `value`, unless it goes in: after errc::closed or a cancellation the
    /// caller still has it. Lifetime: `value` outlives the wait and is not touched meanwhile.
    detail::channel_send_from<T> send_from(T& value) const noexcept {
        return detail::channel_send_from<T>(state(), value);
    }
    /// False when it is full or closed; `value` is moved from only when it went in. In a channel without capacity it
    /// goes in only when a receiver waits.
    bool try_send(T&& value) const { return state().put(value); }
    bool try_send(const T& value) const
        requires std::is_copy_constructible_v<T>
    {
        T copy(value);
        return state().put(copy);
    }

    /// Gives the next element; std::nullopt when it is closed and nothing is left.
    ///
    /// Cancellation: ends at once and takes nothing; an element that was on its way when the cancel came is given.
    detail::channel_receive<T> receive() const noexcept { return detail::channel_receive<T>(state()); }
    /// Gives the next element and what else is there, up to `max`: at least one, or an empty vector when it is closed
    /// and nothing is left. It does not wait for more than one.
    ///
    /// Errors: errc::invalid_argument when `max` is 0. Cancellation: as receive().
    detail::channel_receive_many<T> receive_many(std::size_t max) const {
        detail::check_batch(max);
        return detail::channel_receive_many<T>(state(), max);
    }
    /// std::nullopt when there is nothing now: see is_closed().
    std::optional<T> try_receive() const noexcept {
        std::optional<T> out;
        static_cast<void>(state().take(out));
        return out;
    }

    /// No element goes in any more: waiting senders get errc::closed, receivers what is still there, and then
    /// std::nullopt. Again: no effect.
    void close() const noexcept { state().close(); }
    bool is_closed() const noexcept { return state().is_closed(); }
    /// Elements stored: those of waiting senders are not.
    std::size_t size() const noexcept { return state().size(); }
    std::size_t capacity() const noexcept { return state().capacity(); }

private:
    detail::channel_state<T>& state() const noexcept {
        if (detail::checks_calls && state_ == nullptr) [[unlikely]]
            detail::programmer_error("a channel that was moved from is used");
        return *state_;
    }

    detail::channel_state<T>* state_;
};

}  // namespace rondo::inline v0
