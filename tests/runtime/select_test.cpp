#include <rondo/select.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <rondo/as_result.hpp>
#include <rondo/channel.hpp>
#include <rondo/event.hpp>
#include <rondo/oneshot.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/with_timeout.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::channel;
using rondo::errc;
using rondo::event;
using rondo::otherwise;
using rondo::run;
using rondo::select;
using rondo::task;
using rondo::when;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

task<> send_one(channel<int> c, int value) { co_await c.send(value); }

task<> receive_one(channel<int> c, std::optional<int>& into) { into = co_await c.receive(); }

/// Which of two channels gave what.
task<> select_two(channel<int> a, channel<int> b, std::string& log) {
    co_await select(when(a.receive(), [&](std::optional<int> v) { log += "a" + std::to_string(v.value_or(-1)); }),
                    when(b.receive(), [&](std::optional<int> v) { log += "b" + std::to_string(v.value_or(-1)); }));
}

task<> select_send_or_receive(channel<int> c, int value, std::string& log) {
    co_await select(when(c.send(value), [&] { log += "s" + std::to_string(value); }),
                    when(c.receive(), [&](std::optional<int> v) { log += "r" + std::to_string(*v); }));
}

void in_virtual_time(task<> body) {
    rondo::virtual_clock clock;
    run(rondo::runtime_options().clock(clock), std::move(body));
}

}  // namespace

TEST_CASE("select takes from the branch that is ready and leaves the others alone") {
    auto body = []() -> task<> {
        const channel<int> a(1);
        const channel<int> b(1);
        event e;
        co_await b.send(7);
        const auto won = co_await select(a.receive(), b.receive(), e.wait(), rondo::sleep_for(1s));
        CHECK(won.index() == 1);
        CHECK(std::get<1>(won) == 7);
        CHECK(a.try_send(1));
        CHECK(a.size() == 1);
        CHECK(b.size() == 0);
    };
    in_virtual_time(body());
}

TEST_CASE("of several branches that are ready at once the first given happens, and only it") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> a(1);
        const channel<int> b(1);
        co_await a.send(1);
        co_await b.send(2);
        co_await select_two(b, a, log);
        CHECK(log == "a2");
        CHECK(a.size() == 1);
        CHECK(b.size() == 0);
    };
    run(body());
}

TEST_CASE("branches take turns when they are told to") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> a(3);
        const channel<int> b(3);
        for (int i = 1; i <= 3; ++i) {
            co_await a.send(i);
            co_await b.send(i);
        }
        rondo::select_turns turns;
        const auto use = [&](std::optional<int> v) { log += std::to_string(*v); };
        for (int i = 0; i < 4; ++i) {
            co_await select(turns, when(a.receive(), [&](std::optional<int> v) { use(v), log += "a "; }),
                            when(b.receive(), [&](std::optional<int> v) { use(v), log += "b "; }));
        }
        // Whose turn it is but is not ready is passed over.
        const auto third = co_await select(turns, a.receive(), b.receive());
        CHECK(third.index() == 0);
        const auto fourth = co_await select(turns, a.receive(), b.receive());
        CHECK(fourth.index() == 1);
        CHECK(log == "1a 1b 2a 2b ");
    };
    run(body());
}

TEST_CASE("a waiting select is woken once, by the first, and nothing is taken from the others") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> a;
        const channel<int> b;
        auto h = rondo::spawn(select_two(a, b, log), "selects");
        co_await this_job::yield();
        CHECK(b.try_send(1));
        CHECK_FALSE(b.try_send(2));
        CHECK_FALSE(a.try_send(3));
        co_await h.join();
        CHECK(log == "b1");
    };
    run(body());
}

TEST_CASE("a select that waits in one channel twice is woken once") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> c;
        auto h = rondo::spawn(select_two(c, c, log), "selects");
        co_await this_job::yield();
        c.close();
        co_await h.join();
        CHECK(log == "a-1");
    };
    run(body());
}

TEST_CASE("a select that would send and receive in one channel does not meet itself, but another one") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> c;
        auto one = rondo::spawn(select_send_or_receive(c, 1, log), "one");
        co_await this_job::yield();
        CHECK(log.empty());
        auto two = rondo::spawn(select_send_or_receive(c, 2, log), "two");
        co_await one.join();
        co_await two.join();
        CHECK((log == "s2r2" || log == "r2s2"));
        CHECK_FALSE(c.try_send(3));
        CHECK_FALSE(c.try_receive().has_value());
    };
    run(body());
}

TEST_CASE("a send as a branch goes in when there is room, and stays out when another branch happens") {
    auto body = []() -> task<> {
        const channel<std::unique_ptr<int>> c(1);
        const channel<int> other(1);
        auto value = std::make_unique<int>(1);
        const auto sent = co_await select(other.receive(), c.send_from(value));
        CHECK(sent.index() == 1);
        CHECK(value == nullptr);
        value = std::make_unique<int>(2);
        co_await other.send(5);
        const auto received = co_await select(c.send_from(value), other.receive());
        CHECK(received.index() == 1);
        CHECK((value != nullptr && *value == 2));
        // Waiting for room.
        auto waits = [&]() -> task<> {
            co_await select(when(c.send_from(value), [] {}), when(other.receive(), [](std::optional<int>) {}));
        };
        auto h = rondo::spawn(waits(), "sends");
        co_await this_job::yield();
        CHECK(value != nullptr);
        auto first = c.try_receive();
        CHECK(**first == 1);
        co_await h.join();
        CHECK(value == nullptr);
        CHECK(c.size() == 1);
        CHECK(other.try_send(6));
    };
    run(body());
}

TEST_CASE("timers, events and oneshots are branches; those that do not happen leave nothing behind") {
    auto body = []() -> task<> {
        const channel<int> c;
        event e;
        auto [sender, receiver] = rondo::oneshot<int>::create();
        auto won = co_await select(c.receive(), e.wait(), receiver.receive(), rondo::sleep_for(1s));
        CHECK(won.index() == 3);

        auto set = [&]() -> task<> {
            e.set();
            co_return;
        };
        auto setting = rondo::spawn(set(), "sets");
        won = co_await select(c.receive(), e.wait(), receiver.receive(), rondo::sleep_for(1h));
        CHECK(won.index() == 1);
        e.reset();
        co_await setting.join();

        auto answer = [](rondo::oneshot_sender<int> s) -> task<> {
            co_await rondo::sleep_for(1s);
            s.send(4);
        };
        auto answering = rondo::spawn(answer(std::move(sender)), "answers");
        won = co_await select(c.receive(), e.wait(), receiver.receive(), rondo::sleep_for(1h));
        CHECK(won.index() == 2);
        CHECK(std::get<2>(won) == 4);
        co_await answering.join();
        CHECK_FALSE(c.try_send(1));
    };
    in_virtual_time(body());
}

TEST_CASE("an event wakes waits and selects in the order in which they came") {
    std::string log;
    auto waits = [&](event& e, char name) -> task<> {
        co_await e.wait();
        log += name;
    };
    auto selects = [&](event& e, const channel<int>& c, char name) -> task<> {
        co_await select(when(c.receive(), [](std::optional<int>) {}), when(e.wait(), [&] { log += name; }));
    };
    auto body = [&]() -> task<> {
        event e;
        const channel<int> c;
        auto a = rondo::spawn(waits(e, 'a'), "a");
        auto b = rondo::spawn(selects(e, c, 'b'), "b");
        auto d = rondo::spawn(waits(e, 'd'), "d");
        co_await this_job::yield();
        e.set();
        co_await a.join();
        co_await b.join();
        co_await d.join();
        CHECK(log == "abd");
    };
    run(body());
}

TEST_CASE("with otherwise a select never waits") {
    auto body = []() -> task<> {
        const channel<int> c(1);
        const auto nothing = co_await select(c.receive(), otherwise());
        CHECK(nothing.index() == 1);
        const int one =
            co_await select(when(c.receive(), [](std::optional<int> v) { return *v; }), otherwise([] { return -1; }));
        CHECK(one == -1);
        co_await c.send(5);
        const int two =
            co_await select(when(c.receive(), [](std::optional<int> v) { return *v; }), otherwise([] { return -1; }));
        CHECK(two == 5);
    };
    run(body());
}

TEST_CASE("a branch can be left out: two channels are merged until both are at their end") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> a(2);
        const channel<int> b(2);
        co_await a.send(1);
        co_await b.send(2);
        a.close();
        bool a_open = true;
        bool b_open = true;
        auto closing = [&]() -> task<> {
            co_await b.send(3);
            b.close();
        };
        auto h = rondo::spawn(closing(), "closes");
        const auto take = [&](std::optional<int> v, bool& open) {
            open = v.has_value();
            if (open) log += std::to_string(*v);
        };
        while (a_open || b_open) {
            co_await select(when(a.receive(), [&](std::optional<int> v) { take(v, a_open); }).only_if(a_open),
                            when(b.receive(), [&](std::optional<int> v) { take(v, b_open); }).only_if(b_open));
        }
        CHECK(log == "123");
        co_await h.join();
    };
    run(body());
}

TEST_CASE("handlers that are coroutines are awaited") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> c(1);
        co_await c.send(3);
        const int out = co_await select(when(c.receive(),
                                             [&](std::optional<int> v) -> task<int> {
                                                 co_await rondo::sleep_for(1s);
                                                 log += "slept";
                                                 co_return *v * 2;
                                             }),
                                        when(rondo::sleep_for(1h), [&]() -> task<int> { co_return -1; }));
        CHECK(out == 6);
        CHECK(log == "slept");
    };
    in_virtual_time(body());
}

TEST_CASE("a closed channel is ready: its receive gives the end, its send fails") {
    auto body = []() -> task<> {
        const channel<int> c;
        event e;
        c.close();
        const auto end = co_await select(e.wait(), c.receive());
        CHECK(end.index() == 1);
        CHECK_FALSE(std::get<1>(end).has_value());
        bool thrown = false;
        try {
            co_await select(e.wait(), c.send(1));
        } catch (const rondo::error& x) {
            thrown = x.fault() == errc::closed;
        }
        CHECK(thrown);
        const auto kept = co_await select(e.wait(), rondo::as_result(c.send(1)));
        CHECK(std::get<1>(kept).error() == errc::closed);
    };
    run(body());
}

TEST_CASE("a cancelled select leaves every line, and takes nothing") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> a;
        const channel<int> b;
        auto h = rondo::spawn(select_two(a, b, log), "selects");
        co_await this_job::yield();
        h.cancel();
        CHECK_FALSE(a.try_send(1));
        CHECK_FALSE(b.try_send(1));
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(log.empty());
        const auto late = co_await rondo::as_result(rondo::with_timeout(1s, select(a.receive(), b.receive())));
        CHECK(late.error() == errc::timed_out);
        CHECK_FALSE(a.try_send(1));
    };
    in_virtual_time(body());
}

TEST_CASE("what a select was given is handled in spite of a cancel in the same turn") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> a;
        const channel<int> b;
        auto h = rondo::spawn(select_two(a, b, log), "selects");
        co_await this_job::yield();
        CHECK(b.try_send(1));
        h.cancel();
        co_await h.join();
        CHECK(log == "b1");
    };
    run(body());
}

TEST_CASE("a wait and a select in line for one channel are served in order") {
    std::string log;
    std::optional<int> plain;
    auto body = [&]() -> task<> {
        const channel<int> a;
        const channel<int> b;
        auto first = rondo::spawn(select_two(a, b, log), "first");
        auto second = rondo::spawn(receive_one(b, plain), "second");
        co_await this_job::yield();
        co_await send_one(b, 1);
        co_await send_one(b, 2);
        co_await first.join();
        co_await second.join();
        CHECK(log == "b1");
        CHECK(plain == 2);
    };
    run(body());
}

TEST_CASE("a million selects that never have to wait keep the stack flat and let the others run") {
    constexpr int count = 1'000'000;
    auto body = []() -> task<> {
        const channel<int> c(1);
        const channel<int> other;
        int turns = 0;
        bool done = false;
        auto yields = [&]() -> task<> {
            while (!done) {
                ++turns;
                co_await this_job::yield();
            }
        };
        auto h = rondo::spawn(yields(), "other");
        long long sum = 0;
        for (int i = 0; i < count; ++i) {
            const auto sent = co_await select(other.receive(), c.send(i));
            sum += static_cast<long long>(sent.index());
            const auto got = co_await select(other.receive(), c.receive());
            sum += *std::get<1>(got);
        }
        done = true;
        CHECK(sum == static_cast<long long>(count) * (count - 1) / 2 + count);
        CHECK(turns > count / 128);
        co_await h.join();
    };
    run(body());
}

TEST_CASE("a deadlock in a select names its branches") {
    std::string text;
    auto body = []() -> task<> {
        const channel<int> a;
        const channel<int> b;
        event e;
        co_await select(a.receive(), b.send(1), e.wait());
    };
    try {
        run(body());
    } catch (const rondo::error& e) {
        text = e.what();
    }
    CHECK(text.find("select of 3: channel receive; channel send; event") != std::string::npos);
}
