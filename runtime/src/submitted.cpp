#include <rondo/detail/submitted.hpp>

#include <string>

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
    drop_ref();
}

void submitted_base::settle(settled how) noexcept {
    job_ = nullptr;
    list_->remove(*this);
    publish(how);
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

void submitted_base::cancel() noexcept {
    if (cancel_asked_.exchange(true, std::memory_order_relaxed)) return;
    refs_.fetch_add(1, std::memory_order_relaxed);  // the message's
    if (!home_.post(cancel_message_)) drop_ref();
}

void submitted_base::cancel_home(remote_node& n) noexcept {
    submitted_base& self = *static_cast<cancel_message&>(n).target;
    if (self.job_ != nullptr) detail::cancel(*self.job_, cancel_reason::requested);
    self.drop_ref();
}

void submitted_base::check() {
    observed_ = true;
    switch (static_cast<settled>(state_.load(std::memory_order_acquire))) {
        case settled::error: std::rethrow_exception(exception_);
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
    for (; first_ != nullptr; first_ = first_->next_submitted_) first_->publish(settled::cancelled);
}

}  // namespace rondo::inline v0::detail
