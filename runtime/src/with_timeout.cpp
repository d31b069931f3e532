#include <rondo/with_timeout.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

const combinator_ops timeout_base::ops_table{{&forward_cancel, &describe}, &child_done, &complete_wait};

bool timeout_base::start(child_job& c) noexcept {
    if (!start_one(c)) return false;
    // Armed only now: work that ends at once pays for no timer.
    if (c.state == settled::pending) arm(*this, due_);
    return true;
}

void timeout_base::child_done(combinator& owner, child_job&) noexcept {
    auto& self = static_cast<timeout_base&>(owner);
    if (self.armed()) disarm(self);
}

void timeout_base::fired(timer& t) noexcept { static_cast<timeout_base&>(t).cancel_children(cancel_reason::deadline); }

void timeout_base::check(const child_job& c) const {
    if (c.state != settled::cancelled) return;
    if (parent_cancelled()) throw_cancelled();
    if (c.reason != cancel_reason::deadline) throw error(errc::cancelled, "with_timeout");
    fault f(errc::timed_out, "with_timeout");
    std::string detail = limit_ == INT64_MIN ? "after its deadline" : "after " + format_duration(limit_);
    f.detail(detail + " (set at " + format_location(where_) + ")");
    throw error(std::move(f));
}

void timeout_base::describe(const leaf& l, report_line& out) {
    out.text("with_timeout, ");
    out.remaining(static_cast<const timeout_base&>(l).due_);
    out.text(", for ");
    describe_children(l, out);
}

}  // namespace rondo::inline v0::detail
