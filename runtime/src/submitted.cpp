#include <rondo/detail/submitted.hpp>

#include <string>
#include <thread>
#include <utility>

#include <rondo/error.hpp>
#include <rondo/report.hpp>

#include "context.hpp"
#include "report_line.hpp"

namespace rondo::inline v0::detail {

submitted_base::submitted_base(const char* name, std::source_location origin) noexcept
    : remote_node(&start_home), name_(name), origin_(origin), cancel_message_(*this) {}

submitted_base::~submitted_base() = default;

void submitted_base::send(const remote_context& home, submitted_list& list) noexcept {
    home_ = home;
    list_ = &list;
    if (!home_.post(*this)) refuse();
}

void submitted_base::start_home(remote_node& n) noexcept {
    auto& self = static_cast<submitted_base&>(n);
    if (tls.context == nullptr || tls.context->is_shutting_down()) {  // it came while the runtime was closing
        self.refuse();
        return;
    }
    auto* const j = new spawned<void>(self.body(running(self)), self.name_, self.origin_);
    self.job_ = j;
    self.list_->add(self);
    j->start();
    j->drop_ref();  // nobody joins it
}

void submitted_base::refuse() noexcept {
    drop_task();
    refused_ = true;
    publish(settled::cancelled);
    wake_waiter();
    drop_ref();
}

void submitted_base::settle(settled how) noexcept {
    job_ = nullptr;
    list_->remove(*this);
    publish(how);
    wake_waiter();
    drop_ref();
}

void submitted_base::publish(settled how) noexcept {
    state_.store(static_cast<word>(how), std::memory_order_release);
    state_.notify_all();
}

void submitted_base::wait() const {
    if (is_done()) return;
    if (tls.context != nullptr)
        throw error(fault(errc::busy, std::string("get ") + name_)
                        .detail("this thread runs a context, which would wait for itself; await in a task there"));
    state_.wait(pending, std::memory_order_acquire);
}

void submitted_base::cancel(cancel_reason why) noexcept {
    if (cancel_asked_.exchange(true, std::memory_order_relaxed)) return;
    cancel_message_.why = why;
    refs_.fetch_add(1, std::memory_order_relaxed);  // the message's
    if (!home_.post(cancel_message_)) drop_ref();
}

void submitted_base::cancel_home(remote_node& n) noexcept {
    const auto& message = static_cast<cancel_message&>(n);
    submitted_base& self = *message.target;
    if (self.job_ != nullptr) detail::cancel(*self.job_, message.why);
    self.drop_ref();
}

void submitted_base::check() {
    observed_ = true;
    switch (static_cast<settled>(state_.load(std::memory_order_acquire))) {
        case settled::error: {
            // Taken and not copied: the home thread, which may be the last to let go of this, does not touch it again.
            const std::exception_ptr failure = std::exchange(exception_, nullptr);
            if (!failure)
                throw error(fault(errc::closed, std::string("submit ") + name_).detail("its outcome was taken before"));
            std::rethrow_exception(failure);
        }
        case settled::cancelled: {
            const std::string what = std::string("submit ") + name_;
            if (refused_) throw error(fault(errc::closed, what).detail("the runtime was shut down before it began"));
            throw error(errc::cancelled, what);
        }
        default: break;
    }
}

void submitted_base::drop_ref() noexcept {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (exception_ && !observed_) {
        std::string text = "task '" + std::string(name_) + "' submitted at " + format_location(origin_) +
                           " failed and nobody observed it: ";
        try {
            std::rethrow_exception(exception_);
        } catch (...) {
            text += current_fault().text();
        }
        report(text);
    }
    delete this;
}

// ---- the wait

submitted_wait* submitted_wait::done() noexcept {
    // No waiter lies there: where the pointer is this, the end has been told.
    return reinterpret_cast<submitted_wait*>(alignof(submitted_wait));
}

void submitted_base::wake_waiter() noexcept {
    submitted_wait* const w = waiter_.exchange(submitted_wait::done(), std::memory_order_acq_rel);
    if (w == nullptr) return;
    w->home_.post(*w);  // it cannot go before the message came, or waiter_woken_ is set
    waiter_woken_.store(true, std::memory_order_release);
}

bool submitted_wait::register_wait() noexcept {
    if (submitted_->is_done()) return false;
    home_ = remote_context::current();
    submitted_wait* other = nullptr;
    if (submitted_->waiter_.compare_exchange_strong(other, this, std::memory_order_acq_rel)) return true;
    busy_ = other != done();
    return false;
}

bool submitted_wait::take_back() noexcept {
    submitted_wait* self = this;
    return submitted_->waiter_.compare_exchange_strong(self, nullptr, std::memory_order_acq_rel);
}

void submitted_wait::withdraw(leaf& l) noexcept {
    if (l.ops != &ops_table) return;
    auto& self = static_cast<submitted_wait&>(l);
    if (self.take_back()) return;
    while (!self.submitted_->waiter_woken_.load(std::memory_order_acquire)) std::this_thread::yield();
}

void submitted_wait::came_home(remote_node& n) noexcept {
    auto& self = static_cast<submitted_wait&>(n);
    const bool passed_on = self.on_cancel_ == on_cancel::pass_on && self.waiting->reason != cancel_reason::none;
    if (passed_on && self.submitted_->state() == settled::cancelled) complete_cancelled(self);
    else complete(self);
}

void submitted_wait::cancel(leaf& l, worklist&) noexcept {
    auto& self = static_cast<submitted_wait&>(l);
    if (self.on_cancel_ == on_cancel::pass_on) self.submitted_->cancel(self.waiting->reason);
    else if (self.take_back()) complete_cancelled(self);
    // else the end is on its way, and counts
}

void submitted_wait::describe(const leaf& l, report_line& out) {
    const auto& self = static_cast<const submitted_wait&>(l);
    out.text("task '");
    out.text(self.submitted_->name());
    out.text(self.on_cancel_ == on_cancel::pass_on ? "' on another context" : "' of a runtime");
}

void submitted_wait::check_wait() const {
    if (busy_)
        throw error(fault(errc::busy, std::string("await ") + submitted_->name())
                        .detail("another job waits for this submission already"));
}

const leaf_ops submitted_wait::ops_table{&submitted_wait::cancel, &submitted_wait::describe};

void submitted_list::add(submitted_base& s) noexcept {
    s.next_submitted_ = first_;
    if (first_ != nullptr) first_->prev_ = &s;
    first_ = &s;
}

void submitted_list::remove(submitted_base& s) noexcept {
    (s.prev_ != nullptr ? s.prev_->next_submitted_ : first_) = s.next_submitted_;
    if (s.next_submitted_ != nullptr) s.next_submitted_->prev_ = s.prev_;
}

void submitted_list::abandon() noexcept {
    // The job's frame holds on to each of them for good.
    for (; first_ != nullptr; first_ = first_->next_submitted_) {
        first_->publish(settled::cancelled);
        first_->wake_waiter();
    }
}

}  // namespace rondo::inline v0::detail
