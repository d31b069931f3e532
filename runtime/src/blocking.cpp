#include <rondo/blocking.hpp>

#include <rondo/cancelled.hpp>
#include <rondo/error.hpp>

#include "context.hpp"
#include "report_line.hpp"

namespace rondo::inline v0::detail {

const leaf_ops blocking_base::ops_table{&blocking_base::cancel, &blocking_base::describe};

bool blocking_base::begin() noexcept {
    context& c = *tls.context;
    try {
        home_ = remote_context::current();
        c.pool().submit(*this);
    } catch (...) {
        exception_ = std::current_exception();
        return false;
    }
    ++c.blocking_calls;
    c.meters().blocking_calls.add(1);
    return true;
}

void blocking_base::run_call(pool_call& c) noexcept {
    auto& self = static_cast<blocking_base&>(c);
    try {
        self.call_(self);
    } catch (const cancelled&) {
        self.exception_ = std::make_exception_ptr(error(errc::cancelled, "blocking"));  // of a run inside, say
    } catch (...) {
        self.exception_ = std::current_exception();
    }
    self.home_.post(self);  // from here on the other thread may resume the job and free this
}

void blocking_base::came_home(remote_node& n) noexcept {
    auto& self = static_cast<blocking_base&>(n);
    --tls.context->blocking_calls;
    complete(self);
}

void blocking_base::cancel(leaf& l, worklist&) noexcept {
    auto& self = static_cast<blocking_base&>(l);
    if (!tls.context->pool().withdraw(self)) return;
    --tls.context->blocking_calls;
    complete_cancelled(self);
}

void blocking_base::describe(const leaf&, report_line& out) { out.text("a call on the blocking pool"); }

}  // namespace rondo::inline v0::detail
