#include <rondo/detail/combinator.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

void combinator::add(child_job& c) noexcept {
    c.owner = this;
    (last_ != nullptr ? last_->sibling : first_) = &c;
    last_ = &c;
    ++left_;
}

bool combinator::start_children() noexcept {
    ++left_;  // held until every child had its turn
    for (child_job* c = first_; c != nullptr;) {
        child_job* const next = c->sibling;
        c->ops->run(*c);
        c = next;
    }
    return --left_ != 0;
}

void combinator::collect(worklist& list, cancel_reason why) noexcept {
    for (child_job* c = first_; c != nullptr; c = c->sibling) {
        if (c->state == settled::pending) list.add(*c, why);
    }
}

void combinator::cancel_children(cancel_reason why) noexcept {
    worklist list;
    collect(list, why);
    cancel(list);
}

void combinator::forward_cancel(leaf& l, worklist& list) noexcept {
    auto& self = static_cast<combinator&>(l);
    self.collect(list, self.waiting->reason);
}

void combinator::describe_children(const leaf& l, report_line& out) {
    const auto& self = static_cast<const combinator&>(l);
    std::int64_t count = 0;
    for (const child_job* c = self.first_; c != nullptr; c = c->sibling) {
        if (c->state != settled::pending) continue;
        out.child(*c);
        ++count;
    }
    out.number(count);
    out.text(count == 1 ? " child" : " children");
}

void child_finished(child_job& c) noexcept {
    combinator& owner = *c.owner;
    const auto& ops = static_cast<const combinator_ops&>(*owner.ops);
    ops.child_done(owner, c);
    if (--owner.left_ == 0) ops.all_done(owner);
}

const job* child_parent(const job& j) noexcept { return static_cast<const child_job&>(j).owner->waiting; }

void describe_child(const job& j, report_line& out) { out.job_line("child", j); }

void start_task_child(child_job& c, promise_base& root) noexcept {
    if (tls.depth >= max_inline_depth) {
        make_ready(c);  // comes back through ops->run
        return;
    }
    c.started = true;
    root.set_root(c);
    tls.callee = &root;
    enter_nested(c, root.handle());
}

}  // namespace rondo::inline v0::detail
