#include <rondo/detail/select_case.hpp>
#include <rondo/detail/wait_list.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

void complete_select(leaf& branch) noexcept { static_cast<select_base&>(*branch.waiting->leaf).happens(branch); }

void select_base::happens(const leaf& branch) noexcept {
    static_cast<const select_ops&>(*ops).settle(*this, &branch);
    complete(*this);
}

void select_base::cancel(leaf& l, worklist&) noexcept {
    auto& self = static_cast<select_base&>(l);
    static_cast<const select_ops&>(*self.ops).settle(self, nullptr);
    complete_cancelled(self);
}

void select_base::describe_start(report_line& out, std::size_t branches) {
    out.text("select of ");
    out.number(static_cast<std::int64_t>(branches));
}

void select_base::describe_branch(report_line& out, const leaf& branch, bool first) {
    out.text(first ? ": " : "; ");
    branch.ops->describe(branch, out);
}

}  // namespace rondo::inline v0::detail
