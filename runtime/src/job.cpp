// The door through which every coroutine is resumed, and cancellation.
#include <rondo/detail/job.hpp>

#include <cxxabi.h>
#include <cstdlib>
#include <string>
#include <typeinfo>
#include <utility>

#include <rondo/detail/promise_base.hpp>
#include <rondo/error.hpp>
#include <rondo/report.hpp>

#include "context.hpp"
#include "report_line.hpp"

namespace rondo::inline v0::detail {

void dropped_body() {
    std::string text = "a coroutine returned without finishing or waiting";
    if (tls.called_at.line() != 0) text += "; it was awaited at " + format_location(tls.called_at);
    text +=
        ". g++ 12 drops the body of a coroutine that declares nothing in its outermost block and has a co_await in a "
        "condition: write `bool ok = co_await f();` and test ok. An awaiter that resumes a rondo coroutine itself has "
        "the "
        "same effect";
    report(text);
    std::abort();
}

void enter(job& j, std::coroutine_handle<> h) noexcept {
    thread_state& t = tls;
    t.current = &j;
    resume_chain(t, h);
    t.current = nullptr;
}

job* worklist::pop() noexcept {
    job* const j = head_;
    if (j == nullptr) return nullptr;
    head_ = j->queue_next;
    if (head_ == nullptr) tail_ = nullptr;
    return j;
}

void worklist::run_later() noexcept {
    while (afterwards* const a = later_) {
        later_ = a->next;
        a->listed = false;
        a->run(*a);
    }
}

void cancel(worklist& list) noexcept {
    while (job* const j = list.pop()) {
        if (tls.context == nullptr) [[unlikely]]
            programmer_error(wrong_thread);
        j->leaf->ops->cancel(*j->leaf, list);
        if (j->leaf != nullptr) RONDO_LEAF_EVENT(asked, *j);
    }
    list.run_later();
}

void cancel(job& j, cancel_reason why) noexcept {
    worklist list;
    list.add(j, why);
    cancel(list);
}

void throw_cancelled() { throw cancelled(tls.current->reason); }

void throw_no_context() {
    throw error(fault(errc::no_context).detail("call this from a coroutine that rondo::run is running"));
}

void store_exception(promise_base& into) noexcept {
    // Comparing the type costs a fraction of catching it; a cancelled job needs no exception object kept.
    if (const std::type_info* const t = abi::__cxa_current_exception_type(); t != nullptr && *t == typeid(cancelled)) {
        into.state = settled::cancelled;
        return;
    }
    ::new (static_cast<void*>(&into.exception)) std::exception_ptr(std::current_exception());
    into.state = settled::error;
}

void rethrow(const promise_base& from) {
    if (from.state == settled::cancelled) throw_cancelled();
    std::rethrow_exception(from.exception);  // kept: a spawned job may be joined by several
}

void budget_spent(job& j, const promise_base& at) noexcept { tls.context->budget_spent(j, at); }

bool may_end(job& j, promise_base& root) noexcept { return tls.context->may_end(j, root); }

}  // namespace rondo::inline v0::detail

namespace rondo::inline v0 {

const char* to_string(cancel_reason r) noexcept {
    switch (r) {
        case cancel_reason::none: return "none";
        case cancel_reason::requested: return "requested";
        case cancel_reason::deadline: return "deadline";
        case cancel_reason::sibling_failed: return "sibling failed";
        case cancel_reason::lost_race: return "lost the race";
        case cancel_reason::shutdown: return "shutdown";
    }
    return "none";
}

}  // namespace rondo::inline v0
