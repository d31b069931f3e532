#include "leaf_table.hpp"

#include <rondo/detail/job.hpp>

namespace rondo::inline v0 {
namespace testing {

using cell = leaf_coverage::cell;

void leaf_table::refuse(const char* what) {
    if (violation_.empty()) violation_ = what;
}

void leaf_table::cancelled(const rondo::detail::job& j) {
    const auto found = jobs_.find(&j);
    const bool marked = j.reason != cancel_reason::none;
    if (found == jobs_.end()) {
        coverage_.add(marked ? cell::marked_cancelled : cell::idle_cancelled);
        return;
    }
    switch (found->second) {
        case state::armed:
            if (!marked) found->second = state::marked;  // or it waits although cancelled, as a shield does
            break;
        case state::marked: break;
        case state::asked: coverage_.add(cell::asked_cancelled); break;
        case state::done: coverage_.add(cell::done_cancelled); break;
        case state::ended: coverage_.add(cell::ended_cancelled); break;
    }
}

void leaf_table::saw(rondo::detail::leaf_event e, const rondo::detail::job& j) noexcept {
    using rondo::detail::leaf_event;
    switch (e) {
        case leaf_event::await:
            coverage_.add(cell::idle_armed);
            jobs_[&j] = state::armed;
            return;
        case leaf_event::refused:
            coverage_.add(cell::marked_refused);
            jobs_[&j] = state::ended;
            return;
        case leaf_event::cancel: cancelled(j); return;
        default: break;
    }
    const auto found = jobs_.find(&j);
    if (found == jobs_.end()) {
        if (e != leaf_event::continues) refuse("a leaf completed that nobody waited for");
        return;
    }
    state& s = found->second;
    const bool waits = s == state::armed || s == state::marked || s == state::asked;
    switch (e) {
        case leaf_event::at_once:
            if (s == state::armed || s == state::marked) coverage_.add(cell::idle_at_once);
            else refuse("a wait that was over needed no waiting");
            s = state::done;
            break;
        case leaf_event::result:
            if (!waits) refuse("a second completion of a leaf that was done");
            coverage_.add(s == state::armed ? cell::armed_done : cell::asked_done);
            s = state::done;
            break;
        case leaf_event::ended:
            if (!waits) refuse("a second end of a leaf that was done");
            coverage_.add(s == state::asked ? cell::asked_ended : cell::armed_ended);
            s = state::ended;
            break;
        case leaf_event::asked:
            if (s != state::marked) refuse("a leaf was asked to end that did not wait");
            coverage_.add(cell::armed_asked);
            s = state::asked;
            break;
        default:
            if (waits) refuse("a job ran on while it waited");
            coverage_.add(s == state::done ? cell::done_delivered : cell::ended_thrown);
            jobs_.erase(found);
            break;
    }
}

}  // namespace testing
}  // namespace rondo::inline v0
