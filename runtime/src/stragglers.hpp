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

using job_set = std::unordered_set<const job*>;
using job_tree = std::vector<job*>;

/// The job and every job its wait contains, ancestors first.
job_tree tree_of(job& root);
/// Cancels what the tree's shields protect.
void break_shields(const job_tree& tree);
/// A call on the blocking pool still runs for the tree, so its frames must stay.
bool runs_blocking_call(const job_tree& tree) noexcept;
/// Takes the tree's waits back from cancel sources. Their messages that are on the way already must still be run.
void withdraw_registrations(const job_tree& tree) noexcept;
/// Takes the jobs out of the ready queue.
void unqueue(const job_set& jobs) noexcept;
/// Nothing can end the tree's waits any more.
void forget_waits(const job_tree& tree) noexcept;
/// Destroys the suspended coroutines of the tree, innermost first, so that neither depth nor order matters. The owners
/// of the roots skip them from then on, in this activation of the context. Nothing may be linked or in flight in them.
void destroy_coroutines(const job_tree& tree, destroyed_frames& gone);
/// The frame stays, with all that it holds: its owner skips it from then on.
void keep_coroutines(job& root, destroyed_frames& gone);

}  // namespace rondo::inline v0::detail
