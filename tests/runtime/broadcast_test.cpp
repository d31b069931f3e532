#include <rondo/broadcast.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/watch.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::broadcast;
using rondo::errc;
using rondo::task;
using namespace std::chrono_literals;

namespace {

using seen = std::vector<std::pair<int, std::uint64_t>>;

task<seen> read_all(broadcast<int>::receiver r) {
    seen all;
    while (auto v = co_await r.receive()) all.emplace_back(v->value, v->missed);
    co_return all;
}

}  // namespace

TEST_CASE("every receiver gets every value that is sent after it subscribed") {
    rondo::run([]() -> task<> {
        broadcast<int> b(8);
        b.send(0);  // nobody is there
        auto first = rondo::spawn(read_all(b.subscribe()));
        b.send(1);
        co_await rondo::this_job::yield();
        auto second = rondo::spawn(read_all(b.subscribe()));
        CHECK(b.receivers() == 2);
        b.send(2);
        co_await rondo::this_job::yield();
        b.send(3);
        b.close();
        b.send(4);
        const seen a = co_await first.join();
        const seen c = co_await second.join();
        CHECK(a == seen{{1, 0}, {2, 0}, {3, 0}});
        CHECK(c == seen{{2, 0}, {3, 0}});
    }());
}

TEST_CASE("one that is too slow misses the oldest values and is told how many; nobody waits for it") {
    rondo::run([]() -> task<> {
        broadcast<int> b(3);
        auto r = b.subscribe();
        for (int i = 1; i <= 10; ++i) b.send(i);
        auto v = co_await r.receive();
        CHECK(v->value == 8);
        CHECK(v->missed == 7);
        b.send(11);
        b.send(12);
        v = co_await r.receive();
        CHECK(v->value == 10);
        CHECK(v->missed == 1);
        b.close();
        v = co_await r.receive();
        CHECK(v->value == 11);
        CHECK(v->missed == 0);
        v = co_await r.receive();
        v = co_await r.receive();
        CHECK(!v);
    }());
}

TEST_CASE("a cancelled receive takes nothing, also in the turn in which a value came") {
    rondo::run([]() -> task<> {
        broadcast<int> b(4);
        auto r = b.subscribe();
        auto waits = [](broadcast<int>::receiver* from) -> task<int> {
            const auto v = co_await from->receive();
            co_return v->value;
        };
        auto h = rondo::spawn(waits, &r);
        co_await rondo::this_job::yield();
        h.cancel();
        const auto cancelled = co_await rondo::as_result(h.join());
        CHECK(!cancelled);
        auto h2 = rondo::spawn(waits, &r);
        co_await rondo::this_job::yield();
        b.send(1);
        h2.cancel();  // the value was there first
        const auto got = co_await rondo::as_result(h2.join());
        CHECK(*got == 1);
        b.send(2);
        const auto v = co_await r.receive();
        CHECK(v->value == 2);
    }());
}

TEST_CASE("a receiver outlives its broadcast and gets nothing more, waiting or not; moving one loses nothing") {
    rondo::run([]() -> task<> {
        std::optional<broadcast<int>> b(std::in_place, 4U);
        auto first = b->subscribe();
        b->send(1);
        auto r = std::move(first);
        const auto one = co_await r.receive();
        CHECK(one->value == 1);
        auto waiting = rondo::spawn(read_all(b->subscribe()));
        co_await rondo::this_job::yield();
        b.reset();
        const seen none = co_await waiting.join();
        CHECK(none.empty());
        const auto v = co_await r.receive();
        CHECK(!v);
    }());
}

TEST_CASE("values are let go when the last receiver is gone, and a capacity of 0 is refused") {
    auto counted = std::make_shared<int>(1);
    broadcast<std::shared_ptr<int>> b(4);
    {
        const auto r = b.subscribe();
        b.send(counted);
        CHECK(counted.use_count() == 2);
    }
    CHECK(counted.use_count() == 1);
    CHECK_THROWS_AS(broadcast<int>(0), rondo::error);
}

TEST_CASE("an observer of a watch sees the latest value, and changes in between as one") {
    rondo::run([]() -> task<> {
        rondo::watch<std::string> w("a");
        auto o = w.observe();
        CHECK(!o.has_changed());
        w.set("b");
        w.update([](std::string& s) { s += "c"; });
        CHECK(w.version() == 2);
        const bool changed = co_await o.changed();
        CHECK(changed);
        CHECK(w.get() == "bc");
        CHECK(!o.has_changed());

        auto waits = [](auto* from, auto* watched) -> task<std::string> {
            const bool more = co_await from->changed();
            co_return more ? watched->get() : "closed";
        };
        auto h = rondo::spawn(waits, &o, &w);
        co_await rondo::this_job::yield();
        w.set("d");
        w.set("e");
        const std::string got = co_await h.join();
        CHECK(got == "e");

        auto h2 = rondo::spawn(waits, &o, &w);
        co_await rondo::this_job::yield();
        w.close();
        const std::string end = co_await h2.join();
        CHECK(end == "closed");
        w.set("f");
        const bool last = co_await o.changed();
        CHECK(last);
        const bool none = co_await o.changed();
        CHECK(!none);
    }());
}

TEST_CASE("a change whose wait was cancelled is still to be seen") {
    rondo::run([]() -> task<> {
        rondo::watch<int> w(1);
        auto o = w.observe();
        const auto r = co_await rondo::as_result(rondo::with_timeout(0ms, o.changed()));
        CHECK(r.error().code() == rondo::make_error_code(errc::timed_out));
        w.set(2);
        CHECK(o.has_changed());
        const bool seen_now = co_await o.changed();
        CHECK(seen_now);
    }());
}
