#include <rondo/oneshot.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <rondo/as_result.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::errc;
using rondo::oneshot;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;

namespace {

task<> send_later(rondo::oneshot_sender<int> s, int value) {
    co_await this_job::yield();
    s.send(value);
}

task<> drop_later(rondo::oneshot_sender<int> s) {
    const auto mine = std::move(s);  // parameters stay as long as the handle does
    co_await this_job::yield();
    CHECK_FALSE(mine.is_closed());
}

task<int> take(rondo::oneshot_receiver<int>& r) { co_return co_await r; }

}  // namespace

TEST_CASE("a oneshot gives its value, sent before the wait or during it") {
    auto body = []() -> task<> {
        auto [sender, receiver] = oneshot<int>::create();
        auto sending = rondo::spawn(send_later(std::move(sender), 3), "sender");
        const int later = co_await receiver;
        CHECK(later == 3);
        co_await sending.join();

        auto [first, second] = oneshot<std::unique_ptr<int>>::create();
        CHECK_FALSE(second.try_receive().has_value());
        CHECK(first.send(std::make_unique<int>(4)));
        const std::unique_ptr<int> there = co_await second.receive();
        CHECK(*there == 4);
        CHECK_FALSE(second.try_receive().has_value());
        const auto again = co_await rondo::as_result(second.receive());
        CHECK(again.error() == errc::closed);
    };
    run(body());
}

TEST_CASE("a oneshot whose sender goes without sending is abandoned") {
    auto body = []() -> task<> {
        auto [sender, receiver] = oneshot<int>::create();
        auto dropping = rondo::spawn(drop_later(std::move(sender)), "sender");
        const auto waited = co_await rondo::as_result(receiver.receive());
        CHECK(waited.error() == errc::abandoned);
        const auto after = co_await rondo::as_result(receiver.receive());
        CHECK(after.error().text() == "oneshot: abandoned before it was settled: its sender went without sending");
        co_await dropping.join();
    };
    run(body());
}

TEST_CASE("a oneshot whose receiver is gone refuses the value and leaves it with the sender") {
    auto pair = oneshot<std::unique_ptr<int>>::create();
    CHECK_FALSE(pair.first.is_closed());
    { const auto gone = std::move(pair.second); }
    CHECK(pair.first.is_closed());
    auto value = std::make_unique<int>(1);
    CHECK_FALSE(pair.first.send(std::move(value)));
    CHECK(value != nullptr);
}

TEST_CASE("only one job waits for a oneshot; a cancelled wait takes nothing") {
    auto body = []() -> task<> {
        auto [sender, receiver] = oneshot<int>::create();
        auto first = rondo::spawn(take(receiver), "first");
        co_await this_job::yield();
        const auto second = co_await rondo::as_result(receiver.receive());
        CHECK(second.error() == errc::busy);
        first.cancel();
        const auto cancelled = co_await rondo::as_result(first.join());
        CHECK(cancelled.error() == errc::cancelled);
        CHECK(sender.send(5));
        const int value = co_await receiver;
        CHECK(value == 5);
    };
    run(body());
}

TEST_CASE("a value that came is given in spite of a cancel in the same turn") {
    auto body = []() -> task<> {
        auto [sender, receiver] = oneshot<int>::create();
        auto taking = rondo::spawn(take(receiver), "taking");
        co_await this_job::yield();
        CHECK(sender.send(5));
        taking.cancel();
        const int value = co_await taking.join();
        CHECK(value == 5);
    };
    run(body());
}

TEST_CASE("a value that nobody takes is destroyed once") {
    {
        auto pair = oneshot<tracked>::create();
        CHECK(pair.first.send(tracked(1)));
        CHECK(tracked::alive == 1);
    }
    CHECK(tracked::alive == 0);
}
