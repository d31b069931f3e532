#include <rondo/barrier.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

bool barrier_base::arrive() noexcept {
    if (left_ == 0) programmer_error("more jobs arrive at a barrier than it expects");
    if (--left_ != 0) return false;
    left_ = expected_;
    phase_ended_(*this);
    waiters_.complete_all();
    return true;
}

void barrier_base::drop() noexcept {
    if (expected_ == 0) programmer_error("more jobs leave a barrier than it expects");
    --expected_;
    arrive();
}

const leaf_ops barrier_base::arrive_operation::ops_table{&arrive_operation::cancel, &arrive_operation::describe};

void barrier_base::arrive_operation::cancel(leaf& l, worklist&) noexcept {
    auto& self = static_cast<arrive_operation&>(l);
    self.withdraw();
    complete_cancelled(self);
}

void barrier_base::arrive_operation::describe(const leaf& l, report_line& out) {
    const auto& self = static_cast<const arrive_operation&>(l);
    out.text(self.what());
    if (!self.is_linked()) return;
    out.text(", ");
    out.number(static_cast<std::int64_t>(self.barrier_->left_));
    out.text(" to arrive");
}

}  // namespace rondo::inline v0::detail
