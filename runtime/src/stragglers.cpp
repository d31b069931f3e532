#include "stragglers.hpp"

#include <ranges>

#include <rondo/blocking.hpp>
#include <rondo/detail/promise_base.hpp>
#include <rondo/shield.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

bool was_destroyed(void* frame) noexcept { return tls.destroyed->take(frame); }

std::vector<job*> job_tree(job& root) {
    std::vector<job*> found{&root};
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i]->leaf == nullptr) continue;
        report_line children(0);
        found[i]->leaf->ops->describe(*found[i]->leaf, children);
        for (const job* c : children.children()) found.push_back(const_cast<job*>(c));
    }
    return found;
}

void break_shields(job& root) {
    for (job* j : job_tree(root)) {
        if (j->leaf != nullptr) shield_base::break_open(*j->leaf);
    }
}

bool runs_blocking_call(job& root) {
    for (const job* j : job_tree(root)) {
        if (j->leaf != nullptr && blocking_base::is_leaf(*j->leaf)) return true;
    }
    return false;
}

void destroy_coroutines(job& root, destroyed_frames& gone) {
    tls.destroyed = &gone;
    const std::vector<job*> tree = job_tree(root);
    for (job* const j : std::views::reverse(tree)) {
        promise_base* p = std::exchange(j->top, nullptr);
        while (p != nullptr) {
            promise_base* const caller = p->is_root() ? nullptr : p->caller_promise();
            const std::coroutine_handle<> h = p->handle();
            h.destroy();
            gone.add(h.address());
            p = caller;
        }
    }
}

}  // namespace rondo::inline v0::detail
