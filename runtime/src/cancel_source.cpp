#include <rondo/cancel_source.hpp>

#include <atomic>
#include <mutex>

#include "context.hpp"

namespace rondo::inline v0 {

namespace detail {

class cancel_state {
public:
    std::atomic<std::size_t> refs{1};
    std::atomic<bool> cancelled{false};
    std::mutex mutex;
    cancel_registration* first = nullptr;

    void drop_ref() noexcept {
        if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
    void unlink(cancel_registration& r) noexcept {
        (r.prev_registered != nullptr ? r.prev_registered->next_registered : first) = r.next_registered;
        if (r.next_registered != nullptr) r.next_registered->prev_registered = r.prev_registered;
        r.registered = false;
    }
};

const combinator_ops cancellation_base::ops_table{{&forward_cancel, &describe_children}, &child_done, &complete_wait};

cancellation_base::cancellation_base(cancel_token t) noexcept
    : combinator(ops_table), cancel_registration(&came_home), token_(std::move(t)) {}

cancellation_base::cancellation_base(cancellation_base&& other) noexcept
    : combinator(static_cast<combinator&&>(other)), cancel_registration(&came_home), token_(std::move(other.token_)) {}

bool cancellation_base::start(child_job& c) noexcept {
    home = remote_context::current();
    hold();  // the registration: a message on its way refers to this
    if (!token_.add(*this)) {
        c.reason = cancel_reason::requested;  // never started
        let_go();
    }
    return start_one(c);
}

void cancellation_base::child_done(combinator& owner, child_job&) noexcept {
    auto& self = static_cast<cancellation_base&>(owner);
    if (self.home && self.token_.withdraw(self)) self.let_go();
}

void cancellation_base::withdraw(leaf& l) noexcept {
    if (l.ops != &ops_table) return;
    auto& self = static_cast<cancellation_base&>(l);
    if (self.home && self.token_.withdraw(self)) self.let_go();
}

void cancellation_base::came_home(remote_node& n) noexcept {
    auto& self = static_cast<cancellation_base&>(static_cast<cancel_registration&>(n));
    self.cancel_children(cancel_reason::requested);
    if (self.let_go()) complete_wait(self);
}

void cancellation_base::check(const child_job& c) const {
    if (c.state != settled::cancelled) return;
    if (parent_cancelled()) throw_cancelled();
    throw error(errc::cancelled, "with_cancellation");
}

}  // namespace detail

cancel_token::cancel_token(detail::cancel_state* s) noexcept : state_(s) {}

cancel_token::cancel_token(const cancel_token& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->refs.fetch_add(1, std::memory_order_relaxed);
}

cancel_token::~cancel_token() {
    if (state_ != nullptr) state_->drop_ref();
}

bool cancel_token::is_cancelled() const noexcept {
    return state_ != nullptr && state_->cancelled.load(std::memory_order_acquire);
}

bool cancel_token::add(detail::cancel_registration& r) const {
    if (state_ == nullptr) return true;  // a token without a source never fires
    const std::lock_guard lock(state_->mutex);
    if (state_->cancelled.load(std::memory_order_relaxed)) return false;
    r.prev_registered = nullptr;
    r.next_registered = state_->first;
    if (state_->first != nullptr) state_->first->prev_registered = &r;
    state_->first = &r;
    r.registered = true;
    return true;
}

bool cancel_token::withdraw(detail::cancel_registration& r) const noexcept {
    if (state_ == nullptr) return true;
    const std::lock_guard lock(state_->mutex);
    if (!r.registered) return false;
    state_->unlink(r);
    return true;
}

cancel_source::cancel_source() : token_(new detail::cancel_state) {}

void cancel_source::cancel() const noexcept {
    detail::cancel_state& s = *token_.state_;
    const std::lock_guard lock(s.mutex);
    s.cancelled.store(true, std::memory_order_release);
    while (detail::cancel_registration* const r = s.first) {
        s.unlink(*r);
        // The waiter cannot go before its message came, so it is safe to post under the lock and touch nothing after.
        r->home.post(*r);
    }
}

}  // namespace rondo::inline v0
