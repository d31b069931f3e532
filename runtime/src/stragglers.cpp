#include "stragglers.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include <rondo/blocking.hpp>
#include <rondo/cancel_source.hpp>
#include <rondo/detail/promise_base.hpp>
#include <rondo/detail/shared_wait.hpp>
#include <rondo/detail/submitted.hpp>
#include <rondo/shield.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

namespace {
promise_base* caller_of(promise_base& p) noexcept { return p.is_root() ? nullptr : p.caller_promise(); }
}  // namespace

bool was_destroyed(void* frame) noexcept { return tls.destroyed->take(frame); }

job_tree tree_of(job& root) {
    job_tree found{&root};
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i]->leaf == nullptr) continue;
        report_line children(0);
        found[i]->leaf->ops->describe(*found[i]->leaf, children);
        for (const job* c : children.children()) found.push_back(const_cast<job*>(c));
    }
    return found;
}

void break_shields(const job_tree& tree) {
    for (job* j : tree) {
        if (j->leaf != nullptr) shield_base::break_open(*j->leaf);
    }
}

bool runs_blocking_call(const job_tree& tree) noexcept {
    return std::ranges::any_of(tree,
                               [](const job* j) { return j->leaf != nullptr && blocking_base::is_leaf(*j->leaf); });
}

void withdraw_registrations(const job_tree& tree) noexcept {
    for (job* j : tree) {
        if (j->leaf == nullptr) continue;
        cancellation_base::withdraw(*j->leaf);
        submitted_wait::withdraw(*j->leaf);
        shared_wait::withdraw(*j->leaf);
    }
}

void unqueue(const job_set& jobs) noexcept {
    job* j = std::exchange(tls.ready_head, nullptr);
    tls.ready_tail = nullptr;
    while (j != nullptr) {
        job* const next = j->queue_next;
        if (!jobs.contains(j)) make_ready(*j);
        j = next;
    }
}

void forget_waits(const job_tree& tree) noexcept {
    for (job* j : tree) j->leaf = nullptr;
}

void destroy_coroutines(const job_tree& tree, destroyed_frames& gone) {
    tls.destroyed = &gone;
    for (job* const j : std::views::reverse(tree)) {
        promise_base* p = std::exchange(j->top, nullptr);
        while (p != nullptr) {
            promise_base* const caller = caller_of(*p);
            const std::coroutine_handle<> h = p->handle();
            h.destroy();
            gone.add(h.address());
            p = caller;
        }
    }
}

void keep_coroutines(job& root, destroyed_frames& gone) {
    tls.destroyed = &gone;
    for (promise_base* p = root.top; p != nullptr; p = caller_of(*p)) {
        if (p->is_root()) gone.add(p->handle().address());
    }
}

}  // namespace rondo::inline v0::detail
