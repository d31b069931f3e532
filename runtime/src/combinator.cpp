#include <rondo/detail/combinator.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

void combinator::collect(worklist& list, cancel_reason why) noexcept {
    if (not_started_ == cancel_reason::none) not_started_ = why;
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

const leaf* child_within(const job& j) noexcept { return static_cast<const child_job&>(j).owner; }

void describe_child(const job& j, report_line& out) { out.job_line("child", j); }

}  // namespace rondo::inline v0::detail
