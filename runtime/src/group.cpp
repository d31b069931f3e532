#include <rondo/detail/group.hpp>

#include <utility>

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
    // A reaction of a promise is no job that could end later.
    if (!waiting->started) waiting = nullptr;
    if (count != 0) tls.context->add_group(*this, waiting);
}

child_job* group::pop_ended() noexcept { return has_ended() ? ended_[next_ended_++] : nullptr; }

void group::child_done(combinator& owner, child_job& c) noexcept {
    auto& self = static_cast<group&>(owner);
    self.ended_.push_back(&c);
    --self.running_;
    group_wait* const w = self.waiter_;
    if (w != nullptr && w->is_armed() && (!w->for_all_ || self.running_ == 0)) complete(*w);
}

void group::all_done(combinator& owner) noexcept { static_cast<group&>(owner).end(); }

void group::end() noexcept {
    context& c = *tls.context;
    job* const owner = owner_;
    c.remove_group(*this);
    if (let_go_) own_->destroy(*this);
    if (owner != nullptr) c.end_after_groups(*owner);  // whose value may be the handle, which then frees the group
}

void group::add_running(std::vector<job*>& to) const {
    for (child_job* c = first_child(); c != nullptr; c = c->sibling) {
        if (c->state == settled::pending) to.push_back(c);
    }
}

void group::disown() noexcept {
    if (owner_ != nullptr) --owner_->groups;
    owner_ = nullptr;
    waiting = nullptr;
}

void group::close_waiter() noexcept {
    group_wait* const w = std::exchange(waiter_, nullptr);
    if (w == nullptr) return;
    w->group_ = nullptr;
    if (w->is_armed()) complete(*w);
}

void group::let_go() noexcept {
    close_waiter();
    if (all_ended()) {
        own_->destroy(*this);
        return;
    }
    let_go_ = true;
    cancel_children(cancel_reason::requested);
}

void group::give_up() noexcept {
    for (child_job* c = first_child(); c != nullptr; c = c->sibling) {
        if (c->state != settled::pending) continue;
        c->state = settled::cancelled;
        own_->drop(*c);
        ended_.push_back(c);
    }
    running_ = 0;
    if (waiter_ != nullptr && waiter_->is_armed()) complete(*waiter_);
    end();
}

bool group_wait::wait() noexcept {
    if (group_->waiter_ != nullptr) {
        busy_ = true;
        return false;
    }
    group_->waiter_ = this;
    return !(for_all_ ? group_->all_ended() : group_->has_ended() || group_->all_ended());
}

void group_wait::check() {
    if (busy_) throw error(errc::busy, "as_completed");
    if (group_ == nullptr) throw error(errc::closed, "as_completed");
    leave();
}

void group_wait::cancel_next(leaf& l, worklist& list) noexcept {
    auto& self = static_cast<group_wait&>(l);
    group& g = *self.group_;
    const cancel_reason why = self.waiting->reason;
    self.leave();
    g.collect(list, why);
    complete_cancelled(self);
}

void group_wait::describe(const leaf& l, report_line& out) {
    const auto& self = static_cast<const group_wait&>(l);
    out.text(self.for_all_ ? "the end of " : "the next end of ");
    combinator::describe_children(*self.group_, out);
}

}  // namespace rondo::inline v0::detail
