#include <rondo/detail/group.hpp>

#include <rondo/error.hpp>

#include "context.hpp"
#include "report_line.hpp"

namespace rondo::inline v0::detail {

const combinator_ops group::ops_table{{&forward_cancel, &describe_children}, &child_done, &all_done};
const leaf_ops group_wait::next_ops{&group_wait::cancel_next, &group_wait::describe};
const leaf_ops group_wait::finish_ops{&group_wait::ignore_cancel, &group_wait::describe};

void group::get_ready(std::size_t count) {
    waiting = &current_job();
    ended_.reserve(count);  // so that recording an end cannot fail
    running_ = count;
    // A cancelled job starts nothing new: each child ends as cancelled in its turn.
    if (parent_cancelled()) cancel_children(waiting->reason);
}

child_job* group::pop_ended() noexcept { return has_ended() ? ended_[next_ended_++] : nullptr; }

void group::child_done(combinator& owner, child_job& c) noexcept {
    auto& self = static_cast<group&>(owner);
    self.ended_.push_back(&c);
    --self.running_;
    if (self.waiter_ == nullptr || (self.waiter_->for_all_ && self.running_ != 0)) return;
    complete(*std::exchange(self.waiter_, nullptr));
}

void group::all_done(combinator& owner) noexcept {
    auto& self = static_cast<group&>(owner);
    if (!self.let_go_) return;
    tls.context->orphan_ended(self);
    self.destroy_(self);
}

void group::let_go() noexcept {
    if (all_ended()) {
        destroy_(*this);
        return;
    }
    let_go_ = true;
    tls.context->add_orphan(*this, tls.current);
    cancel_children(cancel_reason::requested);
}

bool group_wait::wait() noexcept {
    if (group_->waiter_ != nullptr) {
        busy_ = true;
        return false;
    }
    if (for_all_ ? group_->all_ended() : group_->has_ended() || group_->all_ended()) return false;
    group_->waiter_ = this;
    return true;
}

void group_wait::check() const {
    if (busy_) throw error(errc::busy, "as_completed");
}

void group_wait::cancel_next(leaf& l, worklist& list) noexcept {
    auto& self = static_cast<group_wait&>(l);
    group& g = *self.group_;
    const cancel_reason why = self.waiting->reason;
    g.waiter_ = nullptr;
    g.collect(list, why);
    complete_cancelled(self);
}

void group_wait::describe(const leaf& l, report_line& out) {
    const auto& self = static_cast<const group_wait&>(l);
    out.text(self.for_all_ ? "the end of " : "the next end of ");
    combinator::describe_children(*self.group_, out);
}

}  // namespace rondo::inline v0::detail
