#include <rondo/detail/shared_wait.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

const leaf_ops shared_wait::ops_table{&shared_wait::cancel, &shared_wait::describe};

void shared_wait::came_home(remote_node& n) noexcept { complete(static_cast<shared_wait&>(n)); }

void shared_wait::cancel(leaf& l, worklist&) noexcept {
    auto& self = static_cast<shared_wait&>(l);
    {
        const std::lock_guard hold(*self.lock_);
        if (self.list_ == nullptr) return;  // the message is in the inbox: what it brings counts
        self.list_->remove(self);
    }
    complete_cancelled(self);
}

void shared_wait::withdraw(leaf& l) noexcept {
    if (l.ops != &ops_table) return;
    auto& self = static_cast<shared_wait&>(l);
    const std::lock_guard hold(*self.lock_);
    if (self.list_ != nullptr) self.list_->remove(self);
}

void shared_wait::describe(const leaf& l, report_line& out) { out.text(static_cast<const shared_wait&>(l).what_); }

void shared_wait_list::push_back(shared_wait& w) noexcept {
    w.home_ = remote_context::current();
    w.list_ = this;
    w.next_wait_ = nullptr;
    w.prev_wait_ = last_;
    (last_ != nullptr ? last_->next_wait_ : first_) = &w;
    last_ = &w;
}

void shared_wait_list::remove(shared_wait& w) noexcept {
    (w.prev_wait_ != nullptr ? w.prev_wait_->next_wait_ : first_) = w.next_wait_;
    (w.next_wait_ != nullptr ? w.next_wait_->prev_wait_ : last_) = w.prev_wait_;
    w.list_ = nullptr;
}

bool shared_wait_list::wake(shared_wait& w) noexcept {
    remove(w);
    // Under the lock: its job cannot go on, and w with it, before the lock is free.
    return w.home_.post(w);
}

}  // namespace rondo::inline v0::detail
