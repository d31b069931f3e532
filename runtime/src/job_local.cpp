#include <rondo/job_local.hpp>

namespace rondo::inline v0::detail {

const combinator_ops binding_base::ops_table{{&forward_cancel, &describe_children}, &child_done, &complete_wait};

const binding_base* binding_base::find(const void* key) {
    const job* j = &current_job();
    for (const leaf* around = j->ops->within(*j); around != nullptr; around = j->ops->within(*j)) {
        if (around->ops == &ops_table) {
            const auto& b = static_cast<const binding_base&>(*around);
            if (b.key_ == key) return &b;
        }
        j = around->waiting;
    }
    return nullptr;
}

void binding_base::check(const child_job& c) const {
    if (c.state != settled::cancelled) return;
    if (parent_cancelled()) throw_cancelled();
    throw error(errc::cancelled, "job_local::with");
}

}  // namespace rondo::inline v0::detail
