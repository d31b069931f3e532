// Jobs that do not end when they are cancelled: what is done with them when the grace period is over.
#pragma once

#include <unordered_set>
#include <vector>

#include <rondo/detail/job.hpp>

namespace rondo::inline v0::detail {

/// Frames that are gone while the task that owned them still stands. One at most per job at a time.
class destroyed_frames {
public:
    void add(void* frame) { frames_.insert(frame); }
    bool take(void* frame) noexcept { return frames_.erase(frame) != 0; }

private:
    std::unordered_set<void*> frames_;
};

/// The job and every job its wait contains, ancestors first.
std::vector<job*> job_tree(job& root);
/// Cancels what the tree's shields protect.
void break_shields(job& root);
/// A call on the blocking pool still runs for the tree, so its frames must stay.
bool runs_blocking_call(job& root);
/// Destroys the suspended coroutines of the tree, innermost first, so that neither depth nor order matters. The owners
/// of the roots skip them from then on, in this activation of the context.
void destroy_coroutines(job& root, destroyed_frames& gone);

}  // namespace rondo::inline v0::detail
