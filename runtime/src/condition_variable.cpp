#include <rondo/condition_variable.hpp>

#include "report_line.hpp"

namespace rondo::inline v0 {

condition_variable::wait_operation* condition_variable::pop() noexcept {
    while (auto* const w = static_cast<wait_operation*>(waiters_.pop_front())) {
        if (!wait_operation::is_forgotten(*w)) return w;
    }
    return nullptr;
}

void condition_variable::notify_one() noexcept {
    wait_operation* const w = pop();
    if (w == nullptr) return;
    w->hands_on_ = true;
    w->lock_again();
}

void condition_variable::notify_all() noexcept {
    while (wait_operation* const w = pop()) w->lock_again();
}

void condition_variable::owed_notifications::pay(afterwards& a) noexcept {
    auto& self = static_cast<owed_notifications&>(a);
    for (std::size_t n = std::exchange(self.count, 0); n != 0; --n) self.owner->notify_one();
}

const detail::permit_ops condition_variable::wait_operation::ops_table{
    {&wait_operation::cancel, &wait_operation::describe}, &wait_operation::granted};

bool condition_variable::wait_operation::begin() noexcept {
    if (detail::checks_calls && !guard_->owns_lock()) [[unlikely]]
        detail::programmer_error("a condition_variable is awaited with a guard that holds no mutex", where_);
    from_ = std::exchange(guard_->from_, nullptr);
    guard_->count_ = 0;
    condition_->waiters_.push_back(*this);
    from_->give_back(1);
    return true;
}

void condition_variable::wait_operation::lock_again() noexcept {
    notified_ = true;
    if (from_->try_take(1, where_)) granted(*this);
    else from_->line_up(*this);
}

void condition_variable::wait_operation::granted(permit_waiter& w) noexcept {
    auto& self = static_cast<wait_operation&>(w);
    if (detail::checks_calls && self.guard_->owns_lock()) [[unlikely]]
        detail::programmer_error("the guard of a wait for a condition_variable was used meanwhile", self.where_);
    *self.guard_ = mutex::guard(*self.from_);
    if (self.cancelled_) complete_cancelled(self);
    else complete(self);
}

void condition_variable::wait_operation::cancel(leaf& l, detail::worklist& list) noexcept {
    auto& self = static_cast<wait_operation&>(l);
    self.cancelled_ = true;
    if (!self.notified_) {
        self.disarm();
        self.lock_again();
        return;
    }
    if (!std::exchange(self.hands_on_, false)) return;
    ++self.condition_->owed_.count;
    list.later(self.condition_->owed_);
}

void condition_variable::wait_operation::describe(const leaf& l, detail::report_line& out) {
    const auto& self = static_cast<const wait_operation&>(l);
    out.text(self.what());
    if (!self.notified_) return;
    out.text(self.cancelled_ ? ", cancelled, to lock its mutex again, taken at "
                             : ", to lock its mutex again, taken at ");
    out.text(detail::format_location(self.from_->taken_at()));
}

}  // namespace rondo::inline v0
