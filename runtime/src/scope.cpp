#include <rondo/scope.hpp>

#include <utility>

#include <rondo/error.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

const combinator_ops scope_base::ops_table{{&cancel_leaf, &describe}, &child_done, &complete_wait};

scope_base::~scope_base() {
    // Only when it is destroyed while it waits: the children's coroutines were destroyed before.
    while (spawned_job* const j = children_) {
        unlink(*j);
        static_cast<const spawned_ops&>(*j->ops).drop_task(*j);
        j->state = settled::cancelled;
        j->waiters().complete_all();
        j->drop_ref();
    }
}

bool scope_base::start(child_job& body) noexcept { return start_one(body); }

void scope_base::add(spawned_job& j) noexcept {
    j.reason = closed_;
    j.prev_ = nullptr;
    j.next_ = children_;
    if (children_ != nullptr) children_->prev_ = &j;
    children_ = &j;
    ++size_;
    hold();
    make_ready(j);
}

void scope_base::unlink(spawned_job& j) noexcept {
    (j.prev_ != nullptr ? j.prev_->next_ : children_) = j.next_;
    if (j.next_ != nullptr) j.next_->prev_ = j.prev_;
    --size_;
}

void scope_base::ended(spawned_job& j, settled how) noexcept {
    unlink(j);
    j.state = how;
    if (how == settled::cancelled && closed_ != cancel_reason::none) incomplete_ = true;
    if (how == settled::error && !failed_) {
        failure_ = static_cast<const spawned_ops&>(*j.ops).root(j).exception;
        j.observed();
        fail();
    }
    j.waiters().complete_all();
    j.drop_ref();
    if (let_go()) complete_wait(*this);
}

/// The first failure: the rest is to end.
void scope_base::fail() noexcept {
    failed_ = true;
    worklist list;
    collect_all(list, cancel_reason::sibling_failed);
    cancel(list);
}

void scope_base::collect_all(worklist& list, cancel_reason why) noexcept {
    if (closed_ == cancel_reason::none) closed_ = why;
    collect(list, why);  // the body
    for (spawned_job* j = children_; j != nullptr; j = j->next_) list.add(*j, why);
}

void scope_base::cancel_all(cancel_reason why) noexcept {
    worklist list;
    for (spawned_job* j = children_; j != nullptr; j = j->next_) list.add(*j, why);
    cancel(list);
}

void scope_base::child_done(combinator& owner, child_job& body) noexcept {
    auto& self = static_cast<scope_base&>(owner);
    if (body.state == settled::error && !self.failed_) self.fail();
}

void scope_base::cancel_leaf(leaf& l, worklist& list) noexcept {
    auto& self = static_cast<scope_base&>(l);
    self.collect_all(list, self.waiting->reason);
}

void scope_base::describe(const leaf& l, report_line& out) {
    const auto& self = static_cast<const scope_base&>(l);
    out.text("scope of ");
    describe_children(l, out);
    if (self.size_ == 0) return;
    out.text(" and ");
    out.number(static_cast<std::int64_t>(self.size_));
    out.text(self.size_ == 1 ? " job" : " jobs");
    for (const spawned_job* j = self.children_; j != nullptr; j = j->next_) out.child(*j);
}

void scope_base::check() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void scope_base::check(const child_job& body) const {
    if (parent_cancelled() && incomplete_) throw_cancelled();  // the body had ended, and its jobs were still at work
    if (body.state == settled::cancelled) {
        if (parent_cancelled()) throw_cancelled();
        throw error(errc::cancelled, "with_scope");
    }
}

}  // namespace rondo::inline v0::detail
