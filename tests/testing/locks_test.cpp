// Locks under cancels at every moment, the turn of the grant included: no permit, no notification, no arrival is lost.
// (simulation::check(), which follows each run, counts the permits.)
#include <rondo/testing/explore.hpp>

#include <cstddef>
#include <string>

#include <rondo/as_result.hpp>
#include <rondo/barrier.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/condition_variable.hpp>
#include <rondo/latch.hpp>
#include <rondo/mutex.hpp>
#include <rondo/race.hpp>
#include <rondo/semaphore.hpp>
#include <rondo/shared_mutex.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>

#include "support/catch.hpp"

using rondo::condition_variable;
using rondo::join_handle;
using rondo::mutex;
using rondo::result;
using rondo::semaphore;
using rondo::shared_mutex;
using rondo::task;
using rondo::testing::exploration;
using rondo::testing::explore;
using rondo::testing::simulation;

namespace {

task<> cancel_at_some_moment(simulation& machine, const join_handle<void>& h) {
    co_await machine.moment();
    h.cancel();
}
task<bool> was_cancelled(join_handle<void>& h) {
    const result<void> r = co_await rondo::as_result(h.join());
    if (r.has_value()) co_return false;
    if (r.error().code() != rondo::errc::cancelled) r.error().raise();
    co_return true;
}

struct story {
    int entered = 0;  // by the job that is cancelled
    int others = 0;
    bool cancelled = false;
};

/// Runs the scenario in every order; `a` and `b` have to happen in some.
class seen {
public:
    void count(bool cancelled) { ++(cancelled ? cancelled_ : done_); }
    bool both() const { return cancelled_ > 0 && done_ > 0; }

private:
    int cancelled_ = 0;
    int done_ = 0;
};

task<> hold(simulation& machine, mutex& m, int& entered) {
    auto held = co_await m.lock();
    ++entered;
    co_await machine.moment();
}

task<> mutex_against_cancel(simulation& machine, story& o) {
    mutex m;
    auto holder = rondo::spawn(hold(machine, m, o.others), "holder");
    auto waiter = rondo::spawn(hold(machine, m, o.entered), "waiter");
    auto next = rondo::spawn(hold(machine, m, o.others), "next");
    auto canceller = rondo::spawn(cancel_at_some_moment(machine, waiter), "canceller");
    o.cancelled = co_await was_cancelled(waiter);
    co_await holder.join();
    co_await next.join();
    co_await canceller.join();
    REQUIRE_FALSE(m.is_locked());
}

task<> race_for_mutex(simulation& machine, story& o) {
    mutex m;
    auto holder = rondo::spawn(hold(machine, m, o.others), "holder");
    co_await rondo::this_job::yield();
    auto racing = [&]() -> task<> {
        const auto winner = co_await rondo::race(machine.moment(), m.lock());
        o.cancelled = winner.index() == 0;
        if (!o.cancelled) ++o.entered;
    };
    auto racer = rondo::spawn(racing(), "racer");
    auto next = rondo::spawn(hold(machine, m, o.others), "next");
    co_await racer.join();
    co_await holder.join();
    co_await next.join();
    REQUIRE_FALSE(m.is_locked());
}

task<> take(simulation& machine, semaphore& s, std::size_t n, int& entered) {
    auto permit = co_await s.acquire(n);
    ++entered;
    co_await machine.moment();
}

task<> semaphore_against_cancel(simulation& machine, story& o) {
    semaphore s(2);
    auto holder = rondo::spawn(take(machine, s, 1, o.others), "holder");
    auto waiter = rondo::spawn(take(machine, s, 2, o.entered), "waiter");
    auto next = rondo::spawn(take(machine, s, 1, o.others), "next");
    auto canceller = rondo::spawn(cancel_at_some_moment(machine, waiter), "canceller");
    o.cancelled = co_await was_cancelled(waiter);
    co_await holder.join();
    co_await next.join();
    co_await canceller.join();
    REQUIRE(s.available() == 2);
}

task<> read(simulation& machine, shared_mutex& m, int& entered) {
    auto held = co_await m.lock_shared();
    ++entered;
    co_await machine.moment();
}
task<> write(simulation& machine, shared_mutex& m, int& entered) {
    auto held = co_await m.lock();
    ++entered;
    co_await machine.moment();
}

task<> shared_mutex_against_cancel(simulation& machine, story& o) {
    shared_mutex m;
    auto first = rondo::spawn(read(machine, m, o.others), "first");
    auto writer = rondo::spawn(write(machine, m, o.entered), "writer");
    auto second = rondo::spawn(read(machine, m, o.others), "second");
    auto canceller = rondo::spawn(cancel_at_some_moment(machine, writer), "canceller");
    o.cancelled = co_await was_cancelled(writer);
    co_await first.join();
    co_await second.join();
    co_await canceller.join();
    REQUIRE(m.try_lock().owns_lock());
}

task<> wait_for(condition_variable& c, mutex& m, int& notified) {
    auto held = co_await m.lock();
    try {
        co_await c.wait(held);
    } catch (const rondo::cancelled&) {
        REQUIRE(held.owns_lock());
        throw;
    }
    REQUIRE(held.owns_lock());
    ++notified;
}

task<> notify_at_some_moment(simulation& machine, condition_variable& c, mutex& m) {
    auto held = co_await m.lock();
    c.notify_one();
    co_await machine.moment();  // who was notified waits for the mutex meanwhile
}

task<> notification_against_cancel(simulation& machine, story& o) {
    mutex m;
    condition_variable c;
    auto first = rondo::spawn(wait_for(c, m, o.entered), "first");
    auto second = rondo::spawn(wait_for(c, m, o.others), "second");
    co_await rondo::this_job::yield();
    co_await rondo::this_job::yield();
    auto canceller = rondo::spawn(cancel_at_some_moment(machine, first), "canceller");
    co_await machine.moment();
    co_await notify_at_some_moment(machine, c, m);
    o.cancelled = co_await was_cancelled(first);
    co_await canceller.join();
    if (!o.cancelled) c.notify_one();
    // Notified once: the second waiter, when the first did not take it.
    co_await second.join();
    REQUIRE_FALSE(m.is_locked());
}

task<> meet(rondo::barrier<>& b, int& passed) {
    co_await b.arrive_and_wait();
    ++passed;
}

task<> barrier_against_cancel(simulation& machine, story& o) {
    rondo::barrier b(2);
    auto first = rondo::spawn(meet(b, o.entered), "first");
    auto canceller = rondo::spawn(cancel_at_some_moment(machine, first), "canceller");
    co_await machine.moment();
    auto second = rondo::spawn(meet(b, o.others), "second");
    o.cancelled = co_await was_cancelled(first);
    co_await canceller.join();
    if (o.cancelled) co_await meet(b, o.others);
    co_await second.join();
    REQUIRE(o.entered + o.others == 2);
}

task<> latch_against_cancel(simulation& machine, story& o) {
    rondo::latch l(2);
    auto arrives = [](rondo::latch& x, int& passed) -> task<> {
        co_await x.arrive_and_wait();
        ++passed;
    };
    auto first = rondo::spawn(arrives(l, o.entered), "first");
    co_await rondo::this_job::yield();
    auto canceller = rondo::spawn(cancel_at_some_moment(machine, first), "canceller");
    co_await machine.moment();
    l.count_down();  // what the first counted stays counted
    o.cancelled = co_await was_cancelled(first);
    co_await canceller.join();
    REQUIRE(l.try_wait());
}

/// Runs a scenario in every order. The cancel has to come too late in some, and in time in others.
exploration in_every_order(task<> (*scenario)(simulation&, story&), int others) {
    seen both;
    const auto e = explore([&](simulation& machine) {
        story o;
        machine.run(scenario(machine, o));
        // A job that has the lock before the cancel comes is ended in its next wait.
        if (!o.cancelled) REQUIRE(o.entered == 1);
        if (others >= 0) REQUIRE(o.others == others);
        both.count(o.cancelled);
    });
    REQUIRE(e.is_complete());
    REQUIRE(both.both());
    return e;
}

}  // namespace

TEST_CASE("a mutex against a cancel at every moment: the next waiter proceeds") {
    in_every_order(&mutex_against_cancel, 2);
}

TEST_CASE("a mutex in a race at every moment: the next waiter proceeds") { in_every_order(&race_for_mutex, 2); }

TEST_CASE("a semaphore against a cancel at every moment: the next waiter proceeds, and no permit is lost") {
    in_every_order(&semaphore_against_cancel, 2);
}

TEST_CASE("a shared_mutex against a cancel at every moment: readers and writers proceed") {
    in_every_order(&shared_mutex_against_cancel, 2);
}

TEST_CASE("a condition_variable against a cancel at every moment: each notification wakes somebody") {
    in_every_order(&notification_against_cancel, 1);
}

TEST_CASE("a barrier against a cancel at every moment: the count stays true") {
    in_every_order(&barrier_against_cancel, -1);
}

TEST_CASE("a latch against a cancel at every moment: what was counted stays counted") {
    in_every_order(&latch_against_cancel, -1);
}

namespace {

task<> cancel_twice(simulation& machine, const join_handle<void>& h) {
    co_await machine.moment();
    h.cancel();
    co_await machine.moment();
    h.cancel();
}

/// Its job sees a lock that is free, one that is not, and the re-locking of a cancelled wait.
task<> all_that_a_lock_can_do(simulation& machine) {
    mutex m;
    mutex free;
    condition_variable c;
    auto works = [&]() -> task<> {
        auto at_once = co_await free.lock();
        try {
            auto held = co_await m.lock();
            co_await c.wait(held);
        } catch (const rondo::cancelled&) {}
        co_await machine.moment();
    };
    int n = 0;
    auto holder = rondo::spawn(hold(machine, m, n), "holder");
    auto job = rondo::spawn(works(), "job");
    auto canceller = rondo::spawn(cancel_twice(machine, job), "canceller");
    co_await machine.moment();
    co_await hold(machine, m, n);
    c.notify_all();
    co_await was_cancelled(job);
    co_await holder.join();
    co_await canceller.join();
}

}  // namespace

TEST_CASE("exploring locks keeps to the table of a leaf's states") {
    const auto e = explore([](simulation& machine) { machine.run(all_that_a_lock_can_do(machine)); });
    REQUIRE(e.is_complete());
#ifndef NDEBUG
    using cell = rondo::testing::leaf_coverage::cell;
    for (const cell seen : {cell::idle_at_once, cell::armed_done, cell::armed_ended, cell::armed_asked,
                            cell::asked_ended, cell::asked_cancelled, cell::done_cancelled, cell::ended_cancelled})
        REQUIRE(e.leaves().count(seen) > 0);
#endif
}
