#include <rondo/detail/promise_state.hpp>

#include <rondo/report.hpp>

#include "context.hpp"
#include "report_line.hpp"

namespace rondo::inline v0::detail {

promise_state_base::promise_state_base(void (*destroy)(promise_state_base&) noexcept) noexcept
    : remote_node(&came_home), destroy_(destroy) {}

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
    if (home.post(*this)) return;
    never_settles();
    drop_ref();
}

void promise_state_base::never_settles() noexcept {
    // The run is over and the jobs that waited ended with it: only reactions are left. They hold this state.
    handled_ = true;
    while (list_waiter* const w = waiters_.pop_front()) static_cast<reaction*>(w)->drop();
}

void promise_state_base::came_home(remote_node& n) noexcept {
    auto& self = static_cast<promise_state_base&>(n);
    self.settle();
    self.drop_ref();
}

void promise_state_base::settle() noexcept {
    state_ = exception_ != nullptr ? settled::error : settled::value;
    waiters_.complete_all();
}

void promise_state_base::wait(list_waiter& w) noexcept {
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

const job_ops reaction::table{&reaction::finish, &reaction::run, &reaction::no_parent, &reaction::describe};

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
    self.destroy_(self);
}

void reaction::describe(const job&, report_line& out) { out.text("reaction"); }

}  // namespace rondo::inline v0::detail
