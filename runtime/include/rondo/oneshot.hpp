// One value from one job to another.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/wait_list.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

template <class T>
class oneshot;

namespace detail {

/// What both ends and a wait share. The value stays here until the waiting job takes it, so a job that goes before that
/// takes nothing with it.
class RONDO_API oneshot_base {
public:
    oneshot_base(const oneshot_base&) = delete;
    oneshot_base& operator=(const oneshot_base&) = delete;

    /// What a receive without a value fails with.
    fault no_value() const;

    wait_list waiter_;
    std::size_t refs_ = 0;
    bool sender_gone_ = false;
    bool receiver_gone_ = false;
    bool taken_ = false;

protected:
    oneshot_base() = default;
    ~oneshot_base() = default;
};

template <class T>
struct oneshot_state final : oneshot_base {
    void add_ref() noexcept { ++refs_; }
    void drop_ref() noexcept {
        if (--refs_ == 0) delete this;
    }

    std::optional<T> value_;
};

template <class T>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] oneshot_operation : public list_waiter {
public:
    explicit oneshot_operation(oneshot_state<T>& s) noexcept : list_waiter("oneshot"), state_(&s) { s.add_ref(); }
    oneshot_operation(oneshot_operation&& other) noexcept  // before it begins
        : list_waiter(other), state_(std::exchange(other.state_, nullptr)) {}
    oneshot_operation& operator=(oneshot_operation&&) = delete;
    ~oneshot_operation() {
        if (state_ == nullptr) return;
        disarm();
        state_->drop_ref();
    }

    bool at_once() noexcept {
        busy_ = !state_->waiter_.empty();
        return busy_ || state_->value_.has_value() || state_->sender_gone_ || state_->taken_;
    }
    void arm() noexcept { state_->waiter_.push_back(*this); }
    bool begin() noexcept {
        if (at_once()) return false;
        arm();
        return true;
    }
    bool failed() const noexcept { return busy_ || !state_->value_.has_value(); }
    T finish() {
        if (failed()) failure().raise();
        T out(std::move(*state_->value_));
        state_->value_.reset();
        state_->taken_ = true;
        return out;
    }
    result<T> finish_result() {
        if (failed()) return failure();
        return finish();
    }

private:
    fault failure() const { return busy_ ? fault(errc::busy, "oneshot") : state_->no_value(); }

    oneshot_state<T>* state_;
    bool busy_ = false;
};

}  // namespace detail

/// The end of a oneshot that gives the value. Thread safety: one context.
template <class T>
class oneshot_sender {
public:
    oneshot_sender(oneshot_sender&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    oneshot_sender& operator=(oneshot_sender other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    /// Without a value sent: the receiver gets errc::abandoned.
    ~oneshot_sender() {
        if (state_ == nullptr) return;
        state_->sender_gone_ = true;
        state_->waiter_.complete_all();
        state_->drop_ref();
    }

    /// Never waits. False when the receiver is gone; `value` is moved from only when it was sent. One value: the end is
    /// used up then.
    bool send(T&& value) {
        detail::oneshot_state<T>& s = state();
        if (s.receiver_gone_) return false;
        if (detail::checks_calls && (s.value_.has_value() || s.taken_)) [[unlikely]]
            detail::programmer_error("a oneshot is sent a second value");
        s.value_.emplace(std::move(value));
        s.waiter_.complete_all();
        return true;
    }
    bool send(const T& value)
        requires std::is_copy_constructible_v<T>
    {
        return send(T(value));
    }
    /// Whether nobody will ever receive it: a reason not to work it out.
    bool is_closed() const noexcept { return state().receiver_gone_; }

private:
    friend class oneshot<T>;
    explicit oneshot_sender(detail::oneshot_state<T>& s) noexcept : state_(&s) { s.add_ref(); }
    detail::oneshot_state<T>& state() const noexcept {
        if (detail::checks_calls && state_ == nullptr) [[unlikely]]
            detail::programmer_error("a sender of a oneshot that was moved from is used");
        return *state_;
    }

    detail::oneshot_state<T>* state_;
};

/// The end of a oneshot that takes the value. Thread safety: one context.
template <class T>
class oneshot_receiver {
public:
    oneshot_receiver(oneshot_receiver&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    oneshot_receiver& operator=(oneshot_receiver other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~oneshot_receiver() {
        if (state_ == nullptr) return;
        state_->receiver_gone_ = true;
        state_->drop_ref();
    }

    /// Waits for the value and gives it.
    ///
    /// Errors: errc::abandoned when the sender went without sending, errc::busy when another job waits already,
    /// errc::closed when the value was taken before. Cancellation: ends at once; a value that comes stays for the next
    /// receive(). Lifetime: the wait keeps what both ends share.
    detail::oneshot_operation<T> receive() const noexcept { return detail::oneshot_operation<T>(state()); }
    /// `co_await r` is `co_await r.receive()`.
    detail::oneshot_operation<T> operator co_await() const noexcept { return receive(); }
    /// std::nullopt when there is none now, or not any more.
    std::optional<T> try_receive() const noexcept {
        detail::oneshot_state<T>& s = state();
        std::optional<T> out(std::move(s.value_));
        s.value_.reset();
        if (out.has_value()) s.taken_ = true;
        return out;
    }

private:
    friend class oneshot<T>;
    explicit oneshot_receiver(detail::oneshot_state<T>& s) noexcept : state_(&s) { s.add_ref(); }
    detail::oneshot_state<T>& state() const noexcept {
        if (detail::checks_calls && state_ == nullptr) [[unlikely]]
            detail::programmer_error("a receiver of a oneshot that was moved from is used");
        return *state_;
    }

    detail::oneshot_state<T>* state_;
};

/// A channel for a single value: an answer, say, whose sender end travels in the request.
///
///     auto [sender, receiver] = rondo::oneshot<int>::create();
///     co_await requests.send(request(5, std::move(sender)));
///     int answer = co_await receiver;
///
/// For a value from another thread, or for several receivers: rondo::promise.
/// Lifetime: the ends live apart. A sender that is a parameter of a spawned task goes with the task's frame, which its
/// join handle keeps: move it into a local when its going is to be noticed. Thread safety: one context.
template <class T>
class oneshot {
    static_assert(std::is_object_v<T> && std::is_nothrow_move_constructible_v<T>,
                  "oneshot<T>: T is the type of a value, and has a move constructor that is noexcept");

public:
    using sender = oneshot_sender<T>;
    using receiver = oneshot_receiver<T>;

    static std::pair<sender, receiver> create() {
        auto* const s = new detail::oneshot_state<T>();
        sender first(*s);
        return std::pair<sender, receiver>(std::move(first), receiver(*s));
    }
};

}  // namespace rondo::inline v0
