// Every function of the runtime that takes or gives objects is called with temporaries inside one co_await expression:
// each is destroyed once, under every compiler. g++ 12 gets others of these forms wrong (README, "g++ 12").
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <rondo/all_settled.hpp>
#include <rondo/as_completed.hpp>
#include <rondo/as_result.hpp>
#include <rondo/barrier.hpp>
#include <rondo/blocking.hpp>
#include <rondo/cancel_source.hpp>
#include <rondo/condition_variable.hpp>
#include <rondo/event.hpp>
#include <rondo/finally.hpp>
#include <rondo/for_each_completed.hpp>
#include <rondo/latch.hpp>
#include <rondo/mutex.hpp>
#include <rondo/promise.hpp>
#include <rondo/race.hpp>
#include <rondo/readiness.hpp>
#include <rondo/run.hpp>
#include <rondo/semaphore.hpp>
#include <rondo/shared_mutex.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/when_any.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"
#include "witness.hpp"

using namespace std::chrono_literals;
using rondo::task;
namespace this_job = rondo::this_job;

namespace {

// ---- what is called: by value, by reference, ready at once or after a wait

task<witness> same(witness w) {
    w.checked();
    co_return w;
}
task<witness> later(witness w) {
    co_await this_job::yield();
    co_return w;
}
task<int> look_at(const witness& w) {
    co_await this_job::yield();
    co_return w.checked();
}
task<int> take(witness&& w) {
    const witness mine = std::move(w);
    co_await this_job::yield();
    co_return mine.checked();
}
task<witness> fails(witness w) {
    co_await this_job::yield();
    if (w.checked() >= 0) throw std::runtime_error("as it should");
    co_return w;
}
task<witness> never(witness w) {
    co_await rondo::sleep_for(1h);
    co_return w;
}
task<> nothing(witness w) {
    co_await this_job::yield();
    w.checked();
}

template <class... T>
std::vector<task<witness>> list(T... t) {
    std::vector<task<witness>> tasks;
    (tasks.push_back(std::move(t)), ...);
    return tasks;
}

/// Runs `body` in virtual time and looks at what is left.
void check(task<> (*body)()) {
    const no_witness_left none;
    rondo::virtual_clock time;
    rondo::run(rondo::runtime_options().clock(time).grace(1s).ring_entries(16), body());
    CHECK(witness::mistakes == 0);
    CHECK(none.holds());
}

}  // namespace

TEST_CASE("temporaries as arguments and results of tasks") {
    check([]() -> task<> {
        const int by_value = (co_await same(witness(1))).checked();
        CHECK(by_value == 1);
        const int after_a_wait = (co_await later(witness(2))).checked();
        CHECK(after_a_wait == 2);
        const int by_reference = co_await look_at(witness(3));
        CHECK(by_reference == 3);
        const int by_rvalue = co_await take(witness(4));
        CHECK(by_rvalue == 4);
        const int nested = co_await look_at(co_await later(co_await same(witness(5))));
        CHECK(nested == 5);
        const int sum = co_await look_at(witness(1)) + (co_await later(witness(2))).checked();
        CHECK(sum == 3);
        co_await nothing(witness(6));
    });
}

TEST_CASE("temporaries in an expression that throws") {
    check([]() -> task<> {
        bool thrown = false;
        try {
            const witness w = co_await same(co_await fails(witness(1)));
            w.checked();
        } catch (const std::runtime_error&) {
            thrown = true;
        }
        CHECK(thrown);
    });
}

TEST_CASE("temporaries given to run") {
    const no_witness_left none;
    CHECK(rondo::run(later(witness(1))).checked() == 1);
    CHECK(rondo::run(rondo::runtime_options().blocking_threads(1), look_at(witness(2))) == 2);
    CHECK(none.holds());
}

TEST_CASE("temporaries given to spawn, and joined in the same expression") {
    check([]() -> task<> {
        const int joined = (co_await rondo::spawn(later(witness(1)), "one").join()).checked();
        CHECK(joined == 1);
        const int awaited = (co_await rondo::spawn(later(witness(2)))).checked();
        CHECK(awaited == 2);
        const int called = (co_await rondo::spawn(later, witness(3)).join()).checked();
        CHECK(called == 3);
        const int lambda = (co_await rondo::spawn([](witness w) { return later(std::move(w)); }, witness(4))).checked();
        CHECK(lambda == 4);
        rondo::spawn(never(witness(5))).detach();
        const auto gone = co_await rondo::as_result(rondo::spawn(fails(witness(6))).join());
        CHECK(!gone);
    });
}

TEST_CASE("temporaries given to when_all and all_settled") {
    check([]() -> task<> {
        const auto both = co_await rondo::when_all(later(witness(1)), same(witness(2)), nothing(witness(3)));
        CHECK(std::get<0>(both).checked() + std::get<1>(both).checked() == 3);
        const auto mixed = co_await rondo::when_all(rondo::sleep_for(1s), later(witness(4)), this_job::yield());
        CHECK(std::get<1>(mixed).checked() == 4);
        const auto range = co_await rondo::when_all(list(later(witness(5)), same(witness(6))));
        CHECK(range[0].checked() + range[1].checked() == 11);
        const auto failed =
            co_await rondo::as_result(rondo::when_all(never(witness(7)), fails(witness(8)), same(witness(9))));
        CHECK(!failed);
        const auto each = co_await rondo::all_settled(later(witness(10)), fails(witness(11)));
        CHECK(std::get<0>(each).value().checked() == 10);
        const auto settled = co_await rondo::all_settled(list(fails(witness(12)), same(witness(13))));
        CHECK(settled[1]->checked() == 13);
    });
}

TEST_CASE("temporaries given to race and when_any") {
    check([]() -> task<> {
        const auto won = co_await rondo::race(never(witness(1)), later(witness(2)));
        CHECK(std::get<1>(won).checked() == 2);
        const auto timed = co_await rondo::race(never(witness(3)), rondo::sleep_for(1s));
        CHECK(timed.index() == 1);
        const auto place = co_await rondo::race(list(never(witness(4)), later(witness(5))));
        CHECK(place.second.checked() == 5);
        const auto any = co_await rondo::when_any(fails(witness(6)), later(witness(7)), never(witness(8)));
        CHECK(std::get<1>(any).checked() == 7);
        const auto first = co_await rondo::when_any(list(fails(witness(9)), later(witness(10))));
        CHECK(first.second.checked() == 10);
    });
}

TEST_CASE("temporaries given to as_completed and for_each_completed") {
    check([]() -> task<> {
        auto stream = rondo::as_completed(list(later(witness(1)), fails(witness(2)), never(witness(3))));
        int seen = 0;
        for (int i = 0; i < 2; ++i) {
            const auto next = co_await stream.next();
            if (next->second) seen += next->second->checked();
        }
        CHECK(seen == 1);
        co_await stream.finish();
        const auto in_place = co_await rondo::as_completed(list(same(witness(4)))).next();
        CHECK(in_place->second->checked() == 4);
        int sum = 0;
        co_await rondo::for_each_completed(list(later(witness(5)), same(witness(6))),
                                           [&](std::size_t, rondo::result<witness> r) { sum += r->checked(); });
        CHECK(sum == 11);
    });
}

TEST_CASE("temporaries given to timeouts, shields and results") {
    check([]() -> task<> {
        const int in_time = (co_await rondo::with_timeout(1s, later(witness(1)))).checked();
        CHECK(in_time == 1);
        const auto late = co_await rondo::as_result(rondo::with_timeout(1s, never(witness(2))));
        CHECK(late.error() == rondo::errc::timed_out);
        const auto deadline = co_await rondo::as_result(rondo::with_deadline(rondo::time_point(1h), same(witness(3))));
        CHECK(deadline->checked() == 3);
        const int shielded = (co_await rondo::shield(later(witness(4)))).checked();
        CHECK(shielded == 4);
        const auto nested = co_await rondo::as_result(
            rondo::with_timeout(1s, rondo::shield(rondo::when_all(later(witness(5)), same(witness(6))))));
        CHECK(std::get<0>(*nested).checked() == 5);
        const int cleaned = (co_await rondo::finally(later(witness(7)), nothing(witness(8)), 1s)).checked();
        CHECK(cleaned == 7);
        const auto failed = co_await rondo::as_result(rondo::finally(fails(witness(9)), nothing(witness(10))));
        CHECK(!failed);
        const auto void_result = co_await rondo::as_result(nothing(witness(11)));
        CHECK(void_result.has_value());
        const int sourced =
            (co_await rondo::with_cancellation(rondo::cancel_source().token(), later(witness(12)))).checked();
        CHECK(sourced == 12);
        const int valued = (co_await rondo::as_result(later(witness(13)))).value_or(witness(0)).checked();
        CHECK(valued == 13);
    });
}

TEST_CASE("temporaries around blocking calls") {
    check([]() -> task<> {
        const witness kept(1);
        const int by_reference = (co_await rondo::blocking([&] { return witness(kept.checked()); })).checked();
        CHECK(by_reference == 1);
        auto call = [w = witness(2)] { return witness(w.checked()); };
        const int moved_in = (co_await rondo::blocking(std::move(call))).checked();
        CHECK(moved_in == 2);
        const auto caught = co_await rondo::as_result(rondo::blocking([&]() -> witness {
            if (kept.checked() == 1) throw std::runtime_error("as it should");
            return witness(3);
        }));
        CHECK(!caught);
    });
}

TEST_CASE("temporaries given to promises") {
    check([]() -> task<> {
        const int resolved = (co_await rondo::promise<witness>::resolved(witness(1))).checked();
        CHECK(resolved == 1);
        const int from = (co_await rondo::promise<witness>::from(later(witness(2)))).checked();
        CHECK(from == 2);
        const int then = co_await rondo::promise<witness>::from(later(witness(3))).then([](const witness& w) {
            return w.checked();
        });
        CHECK(then == 3);
        const int chained = (co_await rondo::promise<witness>::resolved(witness(4)).then([](const witness& w) {
                                return later(w);
                            })).checked();
        CHECK(chained == 4);
        const int caught = (co_await rondo::promise<witness>::from(fails(witness(5))).catch_([](std::exception_ptr) {
                               return witness(6);
                           })).checked();
        CHECK(caught == 6);
        const int finally = (co_await rondo::promise<witness>::from(same(witness(7))).finally([] {})).checked();
        CHECK(finally == 7);
        const int created =
            (co_await rondo::promise<witness>::create([](auto resolve, auto) { resolve(witness(8)); })).checked();
        CHECK(created == 8);
        std::vector<rondo::promise<witness>> both;
        both.push_back(rondo::promise<witness>::resolved(witness(9)));
        both.push_back(rondo::promise<witness>::from(later(witness(10))));
        const auto all = co_await rondo::promise<witness>::all(std::move(both));
        CHECK(all[0].checked() + all[1].checked() == 19);
        const auto rejected = co_await rondo::as_result(
            rondo::promise<witness>::rejected(std::make_exception_ptr(std::runtime_error("as it should"))));
        CHECK(!rejected);
    });
}

TEST_CASE("temporaries beside the other waits") {
    check([]() -> task<> {
        rondo::event e;
        e.set();
        const int waited = (co_await e.wait(), co_await look_at(witness(1)));
        CHECK(waited == 1);
        const auto late = co_await rondo::when_all(rondo::sleep_until(rondo::clock::time_point(5s)),
                                                   rondo::shield(rondo::sleep_for(1s)), look_at(witness(2)));
        CHECK(std::get<2>(late) == 2);
        const auto bad_fd = co_await rondo::as_result(rondo::readable(-1));
        CHECK(!bad_fd);
        const auto bad_fd_too = co_await rondo::as_result(rondo::with_timeout(1s, rondo::writable(-1)));
        CHECK(!bad_fd_too);
    });
}

TEST_CASE("temporaries beside locks, and guards that are temporaries themselves") {
    check([]() -> task<> {
        rondo::mutex m;
        const int locked = (co_await m.lock()).owns_lock() ? co_await look_at(witness(1)) : 0;
        CHECK(locked == 1);
        CHECK_FALSE(m.is_locked());
        auto keeps = [](rondo::mutex::guard held, witness w) -> task<int> {
            co_await this_job::yield();
            co_return held.owns_lock() ? w.checked() : 0;
        };
        const int kept = co_await keeps(co_await m.lock(), witness(2));
        CHECK(kept == 2);
        rondo::shared_mutex shared;
        const bool both = (co_await shared.lock_shared()).owns_lock() && (co_await shared.lock_shared()).owns_lock();
        CHECK(both);
        rondo::semaphore s(5);
        const std::size_t permits = (co_await s.acquire(4)).split(2).count() + (co_await s.acquire(1)).count();
        CHECK(permits == 3);
        CHECK(s.available() == 5);
        rondo::latch l(1);
        co_await rondo::when_all(l.arrive_and_wait(), l.wait(), look_at(witness(3)));
        rondo::barrier b(1, [w = witness(4)]() noexcept { w.checked(); });
        co_await b.arrive_and_wait();
        rondo::condition_variable c;
        auto held = co_await m.lock();
        int asked = 0;
        const auto ready = [&asked, w = witness(5)] { return w.checked() == 5 && ++asked > 1; };
        const auto waits = co_await rondo::as_result(rondo::with_timeout(1s, c.wait(held, ready)));
        CHECK(!waits);
        co_await c.wait(held, [&] { return ++asked > 1; });
        CHECK(asked == 2);
        CHECK(held.owns_lock());
    });
}

TEST_CASE("temporaries of a job that is cancelled in the middle of the expression") {
    check([]() -> task<> {
        auto body = []() -> task<int> {
            const int n = co_await look_at(co_await same(witness(1))) +
                          (co_await rondo::with_timeout(10s, never(co_await later(witness(2))))).checked();
            co_return n;
        };
        auto h = rondo::spawn(body(), "cancelled");
        co_await rondo::sleep_for(1s);
        h.cancel();
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error() == rondo::errc::cancelled);
    });
}

TEST_CASE("a witness tells of a double destruction and of a use after death") {
    const no_witness_left none;
    alignas(witness) std::byte place[sizeof(witness)];
    auto* const w = ::new (static_cast<void*>(place)) witness(1);
    CHECK(!none.holds());
    w->~witness();
    CHECK(none.holds());
    reinterpret_cast<witness*>(place)->~witness();
    CHECK(witness::mistakes == 1);
}
