#include <rondo/detail/promise_state.hpp>

#include <rondo/report.hpp>

#include "context.hpp"
#include "report_line.hpp"

namespace rondo::inline v0::detail {

std::exception_ptr as_rejection(std::exception_ptr e) noexcept {
    if (e == nullptr)
        return std::make_exception_ptr(
            error(fault(errc::invalid_argument, "promise").detail("rejected with a null std::exception_ptr")));
    try {
        std::rethrow_exception(e);
    } catch (const cancelled& c) {
        return std::make_exception_ptr(
            error(fault(errc::cancelled, "promise").detail(std::string("reason: ") + to_string(c.reason()))));
    } catch (...) {
        return e;
    }
}

std::exception_ptr resolved_with_itself() noexcept {
    return std::make_exception_ptr(
        error(fault(errc::invalid_argument, "promise").detail("resolved with itself, it would wait for ever")));
}

promise_state_base::promise_state_base(void (*destroy)(promise_state_base&) noexcept) noexcept
    : remote_node(&came_home), destroy_(destroy), home_(remote_context::current_number()) {}

void promise_state_base::add_ref() noexcept { __atomic_fetch_add(&refs_, 1, __ATOMIC_RELAXED); }

void promise_state_base::drop_ref() noexcept {
    if (__atomic_sub_fetch(&refs_, 1, __ATOMIC_ACQ_REL) != 0) return;
    if (state_ == settled::error && !handled_ && !abandoned_) {
        std::string text = "a promise was rejected and nobody handled it: ";
        try {
            std::rethrow_exception(exception_);
        } catch (...) {
            text += current_fault().text();
        }
        report(text);
    }
    destroy_(*this);
}

bool promise_state_base::claim() noexcept { return !__atomic_exchange_n(&claimed_, true, __ATOMIC_ACQ_REL); }

bool promise_state_base::is_claimed() const noexcept { return __atomic_load_n(&claimed_, __ATOMIC_ACQUIRE); }

void promise_state_base::publish(const remote_context& home) noexcept {
    if (home.is_current()) {
        settle();
        return;
    }
    add_ref();
    if (!home.post(*this)) never_settles();
}

void promise_state_base::never_settles() noexcept {
    // What a waiter holds may be the last resolver of the next promise, and so on: a list, so that the stack stays flat
    // for chains of any length.
    static thread_local remote_node* given_up = nullptr;
    static thread_local bool walking = false;
    next = given_up;
    given_up = this;
    if (std::exchange(walking, true)) return;
    while (given_up != nullptr) {
        auto& s = static_cast<promise_state_base&>(*std::exchange(given_up, given_up->next));
        s.handled_ = true;
        while (list_waiter* const w = s.waiters_.pop_front()) static_cast<promise_waiter*>(w)->drop();
        s.drop_ref();
    }
    walking = false;
}

void promise_state_base::came_home(remote_node& n) noexcept {
    auto& self = static_cast<promise_state_base&>(n);
    self.settle();
    self.drop_ref();
}

void promise_state_base::settle() noexcept {
    state_ = outcome_;
    waiters_.complete_all();
}

bool promise_state_base::is_home() const noexcept { return remote_context::current_number() == home_; }

void promise_state_base::check_home() const {
    if (!is_home()) [[unlikely]]
        throw error(fault(errc::invalid_argument, "promise").detail("it belongs to the run that made it, not to this"));
}

void promise_state_base::wait(promise_waiter& w) noexcept {
    handled_ = true;
    if (state_ == settled::pending) waiters_.push_back(w);
    else complete(w);
}

void promise_state_base::add_resolver() noexcept { __atomic_fetch_add(&resolvers_, 1, __ATOMIC_RELAXED); }

void promise_state_base::drop_resolver(const remote_context& home) noexcept {
    if (__atomic_sub_fetch(&resolvers_, 1, __ATOMIC_ACQ_REL) == 0 && claim()) {
        abandoned_ = true;
        set_rejected(std::make_exception_ptr(error(errc::abandoned, "promise")));
        publish(home);
    }
    drop_ref();
}

const job_ops reaction::table{&reaction::finish, &reaction::run, &reaction::within_none, &reaction::describe};

void reaction::start(promise_state_base& s) noexcept {
    RONDO_LEAF_EVENT(await, *this);
    waiting = this;
    job::leaf = this;
    s.wait(*this);
}

void reaction::run(job& j) noexcept {
    auto& self = static_cast<reaction&>(j);
    RONDO_LEAF_EVENT(continues, self);
    self.run_(self);
    self.drop();
}

void reaction::describe(const job&, report_line& out) { out.text("reaction"); }

}  // namespace rondo::inline v0::detail
