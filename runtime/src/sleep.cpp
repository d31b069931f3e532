#include <rondo/sleep.hpp>

#include <rondo/detail/wait_list.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

const leaf_ops sleep_operation::ops_table{&sleep_operation::cancel, &sleep_operation::describe};

bool sleep_operation::begin() noexcept {
    if (at_once()) return false;
    arm();
    return true;
}

void sleep_operation::fired(timer& t) noexcept { wake(static_cast<sleep_operation&>(t)); }

void sleep_operation::cancel(leaf& l, worklist&) noexcept {
    auto& self = static_cast<sleep_operation&>(l);
    self.disarm();
    complete_cancelled(self);
}

void sleep_operation::describe(const leaf& l, report_line& out) {
    out.text("sleep, ");
    out.remaining(static_cast<const sleep_operation&>(l).timer_node::deadline);
}

}  // namespace rondo::inline v0::detail
