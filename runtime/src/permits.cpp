#include <rondo/detail/permits.hpp>

#include <string>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

void permits::serve() noexcept {
    while (!waiters_.empty()) {
        auto& w = static_cast<permit_waiter&>(*waiters_.front());
        // The end of a run destroys the frames of jobs that did not end: such a waiter takes nothing any more.
        const bool goes = permit_waiter::is_forgotten(w);
        if (!goes && w.count_ > available_) return;
        waiters_.remove(w);
        if (goes) continue;
        take(w.count_, w.where_);
        static_cast<const permit_ops&>(*w.ops).granted(w);
    }
}

permit_waiter* permits::dismiss_first() noexcept {
    while (auto* const w = static_cast<permit_waiter*>(waiters_.pop_front())) {
        if (!permit_waiter::is_forgotten(*w)) return w;
    }
    return nullptr;
}

void permits::serve_later(afterwards& a) noexcept { static_cast<permits&>(a).serve(); }

void permits::change_thread() noexcept {
    if (thread_ != nullptr && (available_ != total_ || !waiters_.empty())) {
        const std::string text = std::string("a ") + what_ +
                                 " is used on another thread than that of the jobs that hold it or wait for it: it "
                                 "belongs to one context";
        programmer_error(text.c_str(), taken_at_);
    }
    thread_ = &tls;
}

void permits::destroyed_in_use() const noexcept {
    if (!checks_calls || tls.destroyed != nullptr) return;  // stragglers are destroyed in no order of their own
    const std::string text =
        std::string("a ") + what_ +
        (waiters_.empty() ? " is destroyed while it is held" : " is destroyed while jobs wait for it");
    programmer_error(text.c_str(), taken_at_);
}

const permit_ops permit_waiter::ops_table{{&permit_waiter::cancel, &permit_waiter::describe}, &permit_waiter::granted};

void permit_waiter::granted(permit_waiter& w) noexcept {
    w.taken_ = true;
    complete(w);
}

void permit_waiter::cancel(leaf& l, worklist& list) noexcept {
    auto& self = static_cast<permit_waiter&>(l);
    if (self.is_linked()) {
        self.disarm();
        // It may have stood in the way of others that want less. Whom the same cancel ends gets nothing.
        if (!self.from_->waiters_.empty()) list.later(*self.from_);
    }
    complete_cancelled(self);
}

void permit_waiter::give_up() noexcept {
    if (taken_) {
        taken().give_back(count_);
    } else {
        disarm();
        from_->serve();
    }
}

void permit_waiter::describe(const leaf& l, report_line& out) {
    const auto& self = static_cast<const permit_waiter&>(l);
    out.text(self.what());
    if (!self.is_linked()) return;
    if (self.count_ > 1) {
        out.text(", ");
        out.number(static_cast<std::int64_t>(self.count_));
        out.text(" permits");
    }
    if (self.from_->taken_at().line() == 0) return;
    out.text(", taken at ");
    out.text(format_location(self.from_->taken_at()));
}

}  // namespace rondo::inline v0::detail
