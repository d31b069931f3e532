// The end of a context: jobs that are left are cancelled and awaited, and what does not end is destroyed.
// docs/design/cancellation.md says in which order, and why.
#include <algorithm>
#include <utility>

#include <rondo/report.hpp>

#include "context.hpp"
#include "report_line.hpp"

namespace rondo::inline v0::detail {

namespace {
constexpr unsigned last_rounds = 1000;  // of reactions that queue others, when everything else has ended
constexpr unsigned patience = 64;       // budgets of waits that a cancelled job may spend, before it is reported
}  // namespace

void context::run_until_drained(std::int64_t limit) {
    struct limit_timer : timer {
        limit_timer() noexcept : timer([](timer& t) noexcept { static_cast<limit_timer&>(t).over = true; }) {}
        bool over = false;
    } grace;
    grace.deadline = add_saturated(now(), limit);
    timers_.arm(grace, now());
    // Reactions of promises that settled at the end, here or on another thread, are still run.
    while (!grace.over) {
        inbox_->drain();
        if (drained_ && tls.ready_head == nullptr) break;
        if (!turn(drained_)) break;
    }
    if (grace.armed()) timers_.cancel(grace);
}

std::string context::describe_deadlock() {
    const bool held = std::exchange(clock_held_, false);
    return (held ? "a real operation that a job waits for held the virtual clock for a second; every job:\n"
                 : "nothing can ever wake the program again; every job:\n") +
           dump();
}

void context::report_late(std::int64_t grace) {
    report("jobs that did not end within the grace period of " + format_duration(grace) +
           " after they were cancelled (shutdown):\n" + dump());
}

void context::budget_spent(job& j, const promise_base& at) noexcept {
    meters().budgets_spent.add(1);
    if (j.reason == cancel_reason::none || j.swallowed == patience) return;
    ++j.swallowed;
    if (j.swallowed != patience) return;
    report_line line(recent_);
    line.text("a cancelled job goes on, each of its waits ends at once, and it waits again: ");
    j.ops->describe(j, line);
    line.text(", cancelled: ");
    line.text(to_string(j.reason));
    line.text(", at " + format_location(at.last_await()));
    line.text(". Let rondo::cancelled out of the loop, or end it when this_job::is_cancelled()");
    report(line.take());
}

void context::drain(std::int64_t grace) {
    shutting_down_ = true;
    cancel_spawned(cancel_reason::shutdown);
    run_until_drained(grace);
    if (!drained_) {
        report_late(grace);
        for (job* const j : roots()) break_shields(tree_of(*j));
        run_until_drained(last_grace);
        if (!drained_) give_up_stragglers();
    }
    close();
}

std::vector<job*> context::roots() const {
    std::vector<job*> found;
    // A group's children may refer to what its job holds, so they come first; a group made by such a child is newer.
    for (const group* g = groups_; g != nullptr; g = g->next_) g->add_running(found);
    for (spawned_job* j = spawned_; j != nullptr; j = j->next_) found.push_back(j);
    return found;
}

void context::give_up_stragglers() {
    const job_set gone = destroy_trees(roots());
    for (spawned_job* j = spawned_; j != nullptr;) {
        spawned_job* const next = j->next_;
        if (gone.contains(j)) j->give_up();
        j = next;
    }
}

job_set context::destroy_trees(const std::vector<job*>& roots) {
    std::vector<job_tree> trees;
    job_set jobs;
    for (job* const root : roots) {
        trees.push_back(tree_of(*root));
        jobs.insert(trees.back().begin(), trees.back().end());
    }
    // From here on no job runs, so that no wait can begin again: each job is queued, or waits for one that is.
    for (const job_tree& t : trees) {
        break_shields(t);
        for (job* const j : t) detail::cancel(*j, cancel_reason::shutdown);
    }
    end_operations(jobs);
    std::vector<io_operation*> left;
    in_flight(jobs, left);
    job_set busy;
    for (const io_operation* op : left) busy.insert(op->waiting);
    std::erase_if(trees, [&](const job_tree& t) {
        const bool calls = runs_blocking_call(t);
        if (calls) pool_stuck_ = true;
        return calls || std::ranges::any_of(t, [&](const job* j) { return busy.contains(j); });
    });
    jobs.clear();
    for (job_tree& t : trees) {
        withdraw_registrations(t);
        // The children of a stream are roots, and below the job that waits for their ends: they go with the first.
        std::erase_if(t, [&](const job* j) { return !jobs.insert(j).second; });
    }
    inbox_->drain();  // messages to waits of theirs
    unqueue(jobs);
    for (const job_tree& t : trees) forget_waits(t);
    for (group* g = groups_; g != nullptr; g = g->next_) {
        if (jobs.contains(g->owner_)) g->disown();
    }
    for (const job_tree& t : trees) destroy_coroutines(t, gone_);
    for (group* g = groups_; g != nullptr;) {
        std::vector<job*> running;
        g->add_running(running);
        const bool gone = std::ranges::all_of(running, [&](const job* j) { return jobs.contains(j); });
        if (gone) g->give_up();  // others may go with it
        g = gone ? groups_ : g->next_;
    }
    return jobs;
}

bool context::in_flight(const job_set& jobs, std::vector<io_operation*>& found) const {
    found.clear();
    for (const operation_list* list : {&in_flight_, &to_cancel_}) {
        for (io_operation* op = list->first; op != nullptr; op = op->next) {
            if (!op->background_ && jobs.contains(op->waiting)) found.push_back(op);
        }
    }
    return !found.empty();
}

void context::end_operations(const job_set& jobs) {
    const std::int64_t until = monotonic() + last_grace;
    std::vector<io_operation*> left;
    while (in_flight(jobs, left)) {
        for (io_operation* op : left) cancel_operation(*op);
        if (!await_completions(until)) return;
    }
}

void context::run_rest() noexcept {
    for (unsigned n = 0; n < last_rounds && tls.ready_head != nullptr; ++n) run_ready();
}

/// Whatever a message from another thread sets off at the end happens now, or never.
void context::close() noexcept {
    run_rest();
    inbox_->close();
    run_rest();
    tls.ready_head = tls.ready_tail = nullptr;
    closed_ = true;
}

void context::add_group(group& g, job* owner) noexcept {
    g.owner_ = owner;
    if (owner != nullptr) ++owner->groups;
    g.prev_ = nullptr;
    g.next_ = groups_;
    if (groups_ != nullptr) groups_->prev_ = &g;
    groups_ = &g;
    drained_ = false;
}

bool context::may_end(job& j, promise_base& root) noexcept {
    worklist list;
    for (group* g = groups_; g != nullptr; g = g->next_) {
        if (g->owner_ != &j) continue;
        if (&j == main_) g->disown();  // the run ends after it, in drain()
        else if (!g->let_go_) g->collect(list, cancel_reason::requested);
    }
    cancel(list);
    if (j.groups == 0) return true;
    j.ending = true;
    j.top = &root;
    return false;
}

void context::remove_group(group& g) noexcept {
    (g.prev_ != nullptr ? g.prev_->next_ : groups_) = g.next_;
    if (g.next_ != nullptr) g.next_->prev_ = g.prev_;
    note_drained();
    g.disown();
}

void context::end_after_groups(job& j) noexcept {
    if (j.groups != 0 || !j.ending) return;
    j.ending = false;
    j.ops->finish(j, *std::exchange(j.top, nullptr));
}

}  // namespace rondo::inline v0::detail
