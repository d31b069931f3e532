#include <rondo/shield.hpp>

namespace rondo::inline v0::detail {

const combinator_ops shield_base::ops_table{{&ignore_cancel, &describe_children}, &child_done, &complete_wait};

void shield_base::break_open(leaf& l) noexcept {
    if (l.ops == &ops_table) static_cast<shield_base&>(l).cancel_children(cancel_reason::shutdown);
}

}  // namespace rondo::inline v0::detail
