#include <rondo/detail/foreign_awaiter.hpp>

#include <rondo/detail/promise_base.hpp>

#include "context.hpp"
#include "report_line.hpp"

namespace rondo::inline v0::detail {

const leaf_ops foreign_wait::ops_table{&foreign_wait::note_cancel, &foreign_wait::describe};

bool foreign_wait::arm(promise_base& p, std::source_location where) {
    job& j = *tls.current;
    p.where = where;
    if (j.reason != cancel_reason::none) {
        waiting = nullptr;
        RONDO_LEAF_EVENT(refused, j);
        return false;
    }
    RONDO_LEAF_EVENT(await, j);
    home_ = remote_context::current();
    waiting = &j;
    j.top = &p;
    j.leaf = this;
    return true;
}

void foreign_wait::disarm() noexcept {
    waiting->leaf = nullptr;
    RONDO_LEAF_EVENT(at_once, *waiting);
}

void foreign_wait::take_messages() noexcept { tls.context->remote().drain(); }

void foreign_wait::resume(frame* f) {
    foreign_wait& self = *f->owner;
    if (self.home_.is_current()) came_home(self);
    else self.home_.post(self);  // from here on the other thread may end this wait
}

void foreign_wait::destroy(frame* f) {
    f->owner->destroyed_ = true;
    resume(f);
}

void foreign_wait::came_home(remote_node& n) noexcept {
    auto& self = static_cast<foreign_wait&>(n);
    if (self.waiting == nullptr || self.waiting->leaf != &self) return;  // resumed twice
    if (!self.destroyed_) {
        complete(self);
        return;
    }
    // Whoever was to resume it never will: the job ends here.
    if (self.waiting->reason == cancel_reason::none) self.waiting->reason = cancel_reason::requested;
    complete_cancelled(self);
}

void foreign_wait::describe(const leaf&, report_line& out) { out.text("an awaiter of another library"); }

}  // namespace rondo::inline v0::detail
