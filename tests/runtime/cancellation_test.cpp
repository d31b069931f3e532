// Cancellation of jobs: when it reaches them, how often, and what it leaves alone.
#include <rondo/cancelled.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <rondo/as_completed.hpp>
#include <rondo/as_result.hpp>
#include <rondo/event.hpp>
#include <rondo/race.hpp>
#include <rondo/run.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::cancel_reason;
using rondo::cancelled;
using rondo::errc;
using rondo::event;
using rondo::join_handle;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

/// What a job saw of its own cancellation.
struct seen {
    bool started = false;
    bool passed = false;
    std::optional<cancel_reason> reason;
};

task<> wait_for(event& e, seen& s) {
    s.started = true;
    try {
        co_await e.wait();
        s.passed = true;
    } catch (const cancelled& c) {
        s.reason = c.reason();
        throw;
    }
}

template <class T>
task<rondo::result<T>> join(const join_handle<T>& h) {
    auto r = co_await rondo::as_result(h.join());
    co_return r;
}

class counts_its_end {
public:
    explicit counts_its_end(int& n) : n_(n) {}
    ~counts_its_end() { ++n_; }

private:
    int& n_;
};

task<> nested_timeouts(int levels, event& bottom, event& e) {
    if (levels == 0) {
        bottom.set();
        co_await e.wait();
    } else {
        co_await rondo::with_timeout(1h, nested_timeouts(levels - 1, bottom, e));
    }
}

task<> nested_when_all(int levels, event& bottom, event& e, int& ended) {
    const tracked local;
    const counts_its_end at_end(ended);
    if (levels == 0) {
        bottom.set();
        co_await e.wait();
    } else {
        co_await rondo::when_all(nested_when_all(levels - 1, bottom, e, ended), rondo::sleep_for(1h));
    }
}

}  // namespace

TEST_CASE("cancelling a waiting job ends its wait with the reason, and its join is an ordinary error") {
    auto body = []() -> task<> {
        event never;
        seen s;
        auto h = rondo::spawn(wait_for(never, s), "waiter");
        co_await this_job::yield();
        CHECK(s.started);
        h.cancel();
        CHECK_FALSE(s.reason.has_value());  // a cancel only queues
        const auto r = co_await join(h);
        CHECK(s.reason == cancel_reason::requested);
        REQUIRE_FALSE(r.has_value());
        CHECK(r.error() == errc::cancelled);
        CHECK(r.error().text() == "join waiter: cancelled: reason: requested");
        CHECK(h.is_done());
        CHECK_FALSE(this_job::is_cancelled());
    };
    run(body());
}

TEST_CASE("a job cancelled before its start never starts, and its parameters are given back") {
    auto body = []() -> task<> {
        bool ran = false;
        auto job = [](bool& flag, tracked) -> task<> {
            flag = true;
            co_return;
        };
        {
            auto h = rondo::spawn(job(ran, tracked()), "early");
            h.cancel();
            const auto r = co_await join(h);
            CHECK(r.error() == errc::cancelled);
            CHECK(tracked::alive == 1);  // with the handle
        }
        CHECK_FALSE(ran);
        CHECK(tracked::alive == 0);
    };
    run(body());
}

TEST_CASE("a second cancel changes nothing: the first reason stays") {
    auto body = []() -> task<> {
        event never;
        seen s;
        auto h = rondo::spawn(wait_for(never, s), "twice");
        co_await this_job::yield();
        h.cancel(cancel_reason::deadline);
        h.cancel(cancel_reason::requested);
        co_await this_job::yield();
        h.cancel();
        const auto r = co_await join(h);
        CHECK(s.reason == cancel_reason::deadline);
        CHECK(r.error().detail() == "reason: deadline");
        h.cancel();  // after its end
    };
    run(body());
}

TEST_CASE("a wait that was over when the cancel came gives its result; the next wait ends") {
    auto body = []() -> task<> {
        event e;
        bool first = false;
        bool second = false;
        auto job = [&]() -> task<> {
            co_await e.wait();
            first = true;
            co_await rondo::sleep_for(1h);
            second = true;
        };
        auto h = rondo::spawn(job(), "queued");
        co_await this_job::yield();
        e.set();     // queues the job
        h.cancel();  // while it is queued
        const auto r = co_await join(h);
        CHECK(first);
        CHECK_FALSE(second);
        CHECK(r.error() == errc::cancelled);
    };
    run(body());
}

TEST_CASE("a bare operation that was over when the cancel came is a value, not a cancellation") {
    auto body = []() -> task<> {
        event e;
        std::string log;
        auto job = [&]() -> task<> {
            co_await rondo::with_timeout(1h, e.wait());
            log += "woken ";
            try {
                co_await this_job::yield();
            } catch (const cancelled&) {
                log += "cancelled";
                throw;
            }
        };
        auto h = rondo::spawn(job(), "bare");
        co_await this_job::yield();
        e.set();
        h.cancel();
        const auto r = co_await join(h);
        CHECK(log == "woken cancelled");
        CHECK(r.error() == errc::cancelled);
    };
    run(body());
}

TEST_CASE("calls and results already there pass in a cancelled job; it is the next wait that ends") {
    auto body = []() -> task<> {
        std::string log;
        join_handle<void>* self = nullptr;
        auto plain_call = []() -> task<int> { co_return 1; };
        auto job = [&]() -> task<> {
            self->cancel();  // its own
            CHECK(this_job::is_cancelled());
            CHECK(this_job::reason() == cancel_reason::requested);
            const int n = co_await plain_call();
            log += std::to_string(n);
            const int m = co_await plain_call();
            log += std::to_string(m);
            try {
                co_await rondo::sleep_for(1h);
            } catch (const cancelled&) {
                log += " cancelled";
                throw;
            }
        };
        auto h = rondo::spawn(job(), "suicide");
        self = &h;
        (void)co_await join(h);
        CHECK(log == "11 cancelled");
    };
    run(body());
}

TEST_CASE("who swallows the cancellation gets it at every later wait, of any kind") {
    auto body = []() -> task<> {
        event never;
        int caught = 0;
        auto quick = []() -> task<> { co_await this_job::yield(); };
        auto job = [&]() -> task<int> {
            try {
                co_await never.wait();
            } catch (const cancelled&) {
                ++caught;
            }
            try {
                co_await rondo::sleep_for(1h);
            } catch (const cancelled&) {
                ++caught;
            }
            try {
                co_await this_job::yield();
            } catch (const cancelled&) {
                ++caught;
            }
            try {
                co_await rondo::with_timeout(1h, quick());
            } catch (const cancelled&) {
                ++caught;
            }
            try {
                co_await rondo::when_all(quick(), quick());
            } catch (const cancelled&) {
                ++caught;
            }
            try {
                co_await rondo::sleep_for(0s);
            } catch (const cancelled&) {
                ++caught;
            }
            co_return caught;
        };
        auto h = rondo::spawn(job(), "stubborn");
        co_await this_job::yield();
        h.cancel();
        const int n = co_await h.join();  // it ended with a value: that is what its join gives
        CHECK(n == 6);
    };
    run(body());
}

TEST_CASE("a loop that swallows every cancellation still lets the others run") {
    auto body = []() -> task<> {
        bool stop = false;
        long swallowed = 0;
        auto job = [&]() -> task<> {
            while (!stop) {
                try {
                    co_await rondo::sleep_for(1h);
                } catch (const cancelled&) {
                    ++swallowed;
                }
            }
        };
        auto h = rondo::spawn(job(), "swallower");
        co_await this_job::yield();
        h.cancel();
        for (int i = 0; i < 10; ++i) co_await this_job::yield();
        stop = true;
        co_await h.join();
        CHECK(swallowed > 1);
    };
    run(body());
}

TEST_CASE("what catches std::exception does not catch a cancellation") {
    auto body = []() -> task<> {
        event never;
        bool wrongly_caught = false;
        auto job = [&]() -> task<> {
            try {
                co_await never.wait();
            } catch (const std::exception&) {
                wrongly_caught = true;
            }
        };
        auto h = rondo::spawn(job(), "broad catch");
        co_await this_job::yield();
        h.cancel();
        const auto r = co_await join(h);
        CHECK(r.error() == errc::cancelled);
        CHECK_FALSE(wrongly_caught);
    };
    run(body());
}

TEST_CASE("a child that cancels its own parent during the start keeps later children from starting") {
    auto body = []() -> task<> {
        event never;
        std::vector<seen> s(3);
        join_handle<void>* parent = nullptr;
        auto killer = [&]() -> task<> {
            parent->cancel();
            s[0].started = true;
            co_await never.wait();
        };
        auto job = [&]() -> task<> {
            co_await rondo::when_all(wait_for(never, s[1]), killer(), wait_for(never, s[2]));
        };
        auto h = rondo::spawn(job(), "parent");
        parent = &h;
        const auto r = co_await join(h);
        CHECK(r.error() == errc::cancelled);
        CHECK(s[0].started);
        CHECK(s[1].started);
        CHECK(s[1].reason == cancel_reason::requested);
        CHECK_FALSE(s[2].started);
    };
    run(body());
}

TEST_CASE("a child that fails during the start keeps later children from starting") {
    auto body = []() -> task<> {
        event never;
        std::vector<seen> s(2);
        auto fails = []() -> task<> {
            throw std::runtime_error("at once");
            co_return;
        };
        std::string text;
        try {
            co_await rondo::when_all(wait_for(never, s[0]), fails(), wait_for(never, s[1]));
        } catch (const std::runtime_error& e) {
            text = e.what();
        }
        CHECK(text == "at once");
        CHECK(s[0].reason == cancel_reason::sibling_failed);
        CHECK_FALSE(s[1].started);
    };
    run(body());
}

TEST_CASE("a cancelled job starts nothing new in a combinator") {
    auto body = []() -> task<> {
        event never;
        std::vector<seen> s(4);
        join_handle<void>* self = nullptr;
        auto job = [&]() -> task<> {
            self->cancel();
            try {
                co_await rondo::when_all(wait_for(never, s[0]));
            } catch (const cancelled&) {}
            try {
                (void)co_await rondo::race(wait_for(never, s[1]));
            } catch (const cancelled&) {}
            try {
                co_await rondo::with_timeout(1h, wait_for(never, s[2]));
            } catch (const cancelled&) {}
            std::vector<task<>> one;
            one.push_back(wait_for(never, s[3]));
            auto stream = rondo::as_completed(std::move(one));
            try {
                (void)co_await stream.next();
            } catch (const cancelled&) {}
            co_await stream.finish();
        };
        auto h = rondo::spawn(job(), "late");
        self = &h;
        co_await h.join();
        for (const seen& one : s) CHECK_FALSE(one.started);
    };
    run(body());
}

TEST_CASE("a shield runs to its end before the cancellation comes through") {
    auto body = []() -> task<> {
        event gate;
        std::string log;
        auto cleanup = [&]() -> task<int> {
            co_await gate.wait();
            log += "cleaned ";
            CHECK_FALSE(this_job::is_cancelled());
            co_return 3;
        };
        auto job = [&]() -> task<> {
            const int n = co_await rondo::shield(cleanup());
            log += std::to_string(n);
            try {
                co_await this_job::yield();
            } catch (const cancelled&) {
                log += " cancelled";
                throw;
            }
        };
        auto h = rondo::spawn(job(), "shielded");
        co_await this_job::yield();
        h.cancel();
        h.cancel();
        co_await this_job::yield();
        CHECK(log.empty());
        CHECK_FALSE(h.is_done());
        gate.set();
        const auto r = co_await join(h);
        CHECK(r.error() == errc::cancelled);
        CHECK(log == "cleaned 3 cancelled");
    };
    run(body());
}

TEST_CASE("a job that is cancelled already can still clean up under a shield") {
    auto body = []() -> task<> {
        event never;
        event closed;
        std::string log;
        auto job = [&]() -> task<> {
            bool was_cancelled = false;
            try {
                co_await never.wait();
            } catch (const cancelled&) {
                was_cancelled = true;
            }
            if (was_cancelled) {
                co_await rondo::shield(closed.wait());
                log += "closed";
            }
        };
        auto h = rondo::spawn(job(), "cleaner");
        co_await this_job::yield();
        h.cancel();
        for (int i = 0; i < 3; ++i) co_await this_job::yield();
        CHECK_FALSE(h.is_done());
        closed.set();
        co_await h.join();
        CHECK(log == "closed");
    };
    run(body());
}

TEST_CASE("a cancel reaches every leaf of a tree, and the parent ends after all of them") {
    auto body = []() -> task<> {
        event never;
        std::vector<seen> s(4);
        auto inner = [&](std::size_t i) -> task<> {
            co_await rondo::when_all(wait_for(never, s[i]), wait_for(never, s[i + 1]));
        };
        auto job = [&]() -> task<> { (void)co_await rondo::race(inner(0), rondo::with_timeout(1h, inner(2))); };
        auto h = rondo::spawn(job(), "tree");
        co_await this_job::yield();
        h.cancel();
        const auto r = co_await join(h);
        CHECK(r.error() == errc::cancelled);
        for (const seen& one : s) CHECK(one.reason == cancel_reason::requested);
    };
    run(body());
}

TEST_CASE("cancelling who joins leaves the joined job alone") {
    auto body = []() -> task<> {
        event e;
        auto worker = [&]() -> task<int> {
            co_await e.wait();
            co_return 5;
        };
        auto h = rondo::spawn(worker(), "worker");
        auto waiter = [&]() -> task<int> {
            const int n = co_await h.join();
            co_return n;
        };
        auto a = rondo::spawn(waiter(), "a");
        auto b = rondo::spawn(waiter(), "b");
        co_await this_job::yield();
        a.cancel();
        const auto r = co_await join(a);
        CHECK(r.error() == errc::cancelled);
        e.set();
        const int n = co_await b.join();
        CHECK(n == 5);
    };
    run(body());
}

TEST_CASE("a cancel in the turn of the grant does not lose the grant") {
    auto body = []() -> task<> {
        // A hand-made permit: who is woken has it.
        event permit;
        bool granted = false;
        auto job = [&]() -> task<bool> {
            co_await permit.wait();
            granted = true;
            co_return true;
        };
        auto h = rondo::spawn(job(), "grantee");
        co_await this_job::yield();
        permit.set();
        h.cancel();
        const bool got = co_await h.join();
        CHECK(got);
        CHECK(granted);
    };
    run(body());
}

TEST_CASE("a cancel in the turn of the grant, the other way round, takes the wait back") {
    auto body = []() -> task<> {
        event permit;
        seen s;
        auto h = rondo::spawn(wait_for(permit, s), "too late");
        co_await this_job::yield();
        h.cancel();
        permit.set();
        const auto r = co_await join(h);
        CHECK(r.error() == errc::cancelled);
        CHECK_FALSE(s.passed);
    };
    run(body());
}

TEST_CASE("cancelled children end in the order of their start, before their parent") {
    auto body = []() -> task<> {
        event never;
        std::string log;
        auto child = [&](char c) -> task<> {
            try {
                co_await never.wait();
            } catch (const cancelled&) {
                log += c;
                throw;
            }
        };
        auto job = [&]() -> task<> {
            try {
                co_await rondo::when_all(child('a'), child('b'), child('c'));
            } catch (const cancelled&) {
                log += 'p';
                throw;
            }
        };
        auto h = rondo::spawn(job(), "parent");
        co_await this_job::yield();
        h.cancel();
        (void)co_await join(h);
        CHECK(log == "abcp");
    };
    run(body());
}

TEST_CASE("a tree of 20000 nested timeouts is cancelled with a flat stack") {
    auto body = []() -> task<> {
        event never;
        event bottom;
        auto h = rondo::spawn(nested_timeouts(20'000, bottom, never), "deep");
        co_await bottom.wait();
        h.cancel();
        const auto r = co_await join(h);
        CHECK(r.error() == errc::cancelled);
    };
    run(body());
}

TEST_CASE(
    "a tree of 20000 nested jobs with two children each is cancelled with a flat stack, and each level ends once") {
    int ended = 0;
    auto body = [&]() -> task<> {
        event never;
        event bottom;
        auto h = rondo::spawn(nested_when_all(20'000, bottom, never, ended), "bushy");
        co_await bottom.wait();
        h.cancel();
        const auto r = co_await join(h);
        CHECK(r.error() == errc::cancelled);
    };
    run(body());
    CHECK(ended == 20'001);
    CHECK(tracked::alive == 0);
}

TEST_CASE("a deep tree whose leaf is set instead of cancelled ends with values") {
    int ended = 0;
    auto body = [&]() -> task<> {
        event e;
        event bottom;
        auto h = rondo::spawn(nested_timeouts(20'000, bottom, e), "deep");
        co_await bottom.wait();
        e.set();
        co_await h.join();
        ++ended;
    };
    run(body());
    CHECK(ended == 1);
}

TEST_CASE("the end of the main task cancels what it spawned, with the reason shutdown") {
    event never;
    seen s;
    auto body = [&]() -> task<int> {
        rondo::spawn(wait_for(never, s), "left behind").detach();
        co_await this_job::yield();
        co_return 1;
    };
    CHECK(run(body()) == 1);
    CHECK(s.reason == cancel_reason::shutdown);
}
