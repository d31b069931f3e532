#include <rondo/detail/wait_list.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

const leaf_ops list_waiter::ops_table{&list_waiter::cancel, &list_waiter::describe};

void list_waiter::cancel(leaf& l, worklist&) noexcept {
    auto& self = static_cast<list_waiter&>(l);
    self.disarm();
    complete_cancelled(self);
}

void destroyed_with_waiters(const char* what) noexcept {
    if (tls.destroyed == nullptr) programmer_error(what);
}

void list_waiter::describe(const leaf& l, report_line& out) { out.text(static_cast<const list_waiter&>(l).what_); }

}  // namespace rondo::inline v0::detail
