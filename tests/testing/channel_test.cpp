// Nothing is lost in a channel: cancels, timeouts, lost races and closes at every point at which they can come, with
// elements that own descriptors. The simulated machine counts those after each run.
#include <rondo/channel.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rondo/event.hpp>
#include <rondo/oneshot.hpp>
#include <rondo/race.hpp>
#include <rondo/select.hpp>
#include <rondo/sleep.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "runtime/tracked.hpp"
#include "testing/scenario.hpp"

using namespace std::chrono_literals;
using rondo::channel;
using rondo::errc;
using rondo::select;
using rondo::when;
using cell = rondo::testing::leaf_coverage::cell;

namespace {

/// Runs a scenario everywhere, with and without room in its channel, and looks at what is alive afterwards.
template <class F>
void everywhere_with_room(F scenario) {
    for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}}) {
        const auto counted = [&](simulation& m) {
            scenario(m, capacity);
            REQUIRE(tracked::alive == 0);
        };
        REQUIRE(explore(counted).is_complete());
        for_seeds(seeds / 10, counted);
    }
}

struct story {
    std::string got;   // by the job that was cancelled, or lost
    std::string rest;  // by others, and what was still there
    bool cancelled = false;
    bool sent = false;
    bool lost = false;
};

task<> send(simulation& m, channel<tracked> c, int value) {
    co_await m.moment();
    co_await c.send(tracked(value));
}

task<> receive(channel<tracked> c, std::string& into) {
    const auto v = co_await c.receive();
    if (v.has_value()) into += std::to_string(v->value);
}

task<> receive_batch(channel<tracked> c, std::string& into) {
    const auto batch = co_await c.receive_many(5);
    for (const tracked& v : batch) into += std::to_string(v.value);
}

/// What nobody took, of waiting senders too.
void take_rest(const channel<tracked>& c, std::string& into) {
    while (auto v = c.try_receive()) into += std::to_string(v->value);
}

task<> receive_against_cancel(simulation& m, story& o, std::size_t capacity) {
    const channel<tracked> c(capacity);
    auto receiving = rondo::spawn(receive(c, o.got), "receiver");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, receiving), "canceller");
    auto sending = rondo::spawn(send(m, c, 1), "sender");
    o.cancelled = co_await was_cancelled(receiving);
    if (o.cancelled) {
        co_await receive(c, o.rest);
    }
    co_await sending.join();
    co_await cancelling.join();
}

task<> two_receivers_against_cancel(simulation& m, story& o, std::size_t capacity) {
    const channel<tracked> c(capacity);
    auto first = rondo::spawn(receive(c, o.got), "first");
    auto second = rondo::spawn(receive_batch(c, o.rest), "second");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, first), "canceller");
    co_await send(m, c, 1);
    o.cancelled = co_await was_cancelled(first);
    if (!o.cancelled) co_await send(m, c, 2);
    co_await second.join();
    co_await cancelling.join();
}

task<> send_own(channel<tracked> c, int value, bool& sent) {
    co_await c.send(tracked(value));
    sent = true;
}

task<> send_against_cancel(simulation& m, story& o, std::size_t capacity) {
    const channel<tracked> c(capacity);
    if (capacity != 0) co_await c.send(tracked(0));
    auto sending = rondo::spawn(send_own(c, 1, o.sent), "sender");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, sending), "canceller");
    co_await m.moment();
    take_rest(c, o.rest);
    o.cancelled = co_await was_cancelled(sending);
    take_rest(c, o.rest);
    co_await cancelling.join();
}

task<> send_kept(channel<tracked> c, tracked& value, bool& sent) {
    co_await c.send_from(value);
    sent = true;
}

task<> send_from_against_close(simulation& m, story& o, std::size_t capacity) {
    const channel<tracked> c(capacity);
    if (capacity != 0) co_await c.send(tracked(0));
    tracked value(1);
    auto sending = rondo::spawn(send_kept(c, value, o.sent), "sender");
    auto close = [&]() -> task<> {
        co_await m.moment();
        c.close();
    };
    auto closing = rondo::spawn(close(), "closer");
    co_await m.moment();
    if (const auto v = c.try_receive()) o.rest += std::to_string(v->value);
    const auto r = co_await rondo::as_result(sending.join());
    o.lost = !r.has_value() && r.error().code() == errc::closed;
    co_await closing.join();
    take_rest(c, o.rest);
    o.got = std::to_string(value.value);  // -1 when it went in
}

task<> receive_loop(channel<tracked> c, std::string& into) {
    while (auto v = co_await c.receive()) into += std::to_string(v->value);
}

task<> receive_against_close(simulation& m, story& o, std::size_t capacity) {
    const channel<tracked> c(capacity);
    auto receiving = rondo::spawn(receive_loop(c, o.got), "receiver");
    auto sending = rondo::spawn(send(m, c, 1), "sender");
    co_await m.moment();
    c.close();
    const auto r = co_await rondo::as_result(sending.join());
    o.lost = !r.has_value() && r.error().code() == errc::closed;
    co_await receiving.join();
}

task<> race_receive(simulation& m, story& o, std::size_t capacity) {
    const channel<tracked> c(capacity);
    auto sending = rondo::spawn(send(m, c, 1), "sender");
    {
        const auto winner = co_await rondo::race(m.moment(), c.receive());
        o.lost = winner.index() == 0;
        if (!o.lost) o.got = std::to_string(std::get<1>(winner)->value);
    }
    if (o.lost) co_await receive(c, o.rest);
    co_await sending.join();
}

task<> fail_at_some_moment(simulation& m) {
    co_await m.moment();
    throw rondo::error(rondo::fault(errc::invalid_argument, "planted"));
}

task<> receive_beside_failure(simulation& m, story& o, std::size_t capacity) {
    const channel<tracked> c(capacity);
    auto sending = rondo::spawn(send(m, c, 1), "sender");
    const auto both = co_await rondo::as_result(rondo::when_all(c.receive_many(3), fail_at_some_moment(m)));
    o.lost = !both.has_value() && both.error().code() == errc::invalid_argument;
    co_await receive(c, o.rest);  // its element is there in any case: either handed back or never taken
    co_await sending.join();
}

task<> receive_against_timeout(simulation& m, story& o, std::size_t capacity) {
    const channel<tracked> c(capacity);
    auto sending = rondo::spawn(send(m, c, 1), "sender");
    {
        const auto r = co_await rondo::as_result(rondo::with_timeout(1s, c.receive()));
        o.lost = !r.has_value();
        if (r.has_value()) o.got = std::to_string((*r)->value);
    }
    if (o.lost) co_await receive(c, o.rest);
    co_await sending.join();
}

task<> select_from(channel<tracked> a, channel<tracked> b, std::string& into) {
    const auto use = [&](std::optional<tracked> v) { into += v.has_value() ? std::to_string(v->value) : "closed"; };
    co_await select(when(a.receive(), use), when(b.receive(), use), when(rondo::sleep_for(1s), [&] { into += "t"; }));
}

task<> select_against_cancel(simulation& m, story& o, std::size_t capacity) {
    const channel<tracked> a(capacity);
    const channel<tracked> b(capacity);
    auto selecting = rondo::spawn(select_from(a, b, o.got), "selects");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, selecting), "canceller");
    auto one = rondo::spawn(send(m, a, 1), "one");
    auto two = rondo::spawn(send(m, b, 2), "two");
    o.cancelled = co_await was_cancelled(selecting);
    if (o.got != "1") co_await receive(a, o.rest);
    if (o.got != "2") co_await receive(b, o.rest);
    co_await one.join();
    co_await two.join();
    co_await cancelling.join();
}

task<> race_select(simulation& m, story& o, std::size_t capacity) {
    const channel<tracked> a(capacity);
    const channel<tracked> b(capacity);
    auto one = rondo::spawn(send(m, a, 1), "one");
    {
        const auto winner = co_await rondo::race(m.moment(), select(a.receive(), b.receive()));
        o.lost = winner.index() == 0;
        if (!o.lost) o.got = std::to_string(std::get<0>(std::get<1>(winner))->value);
    }
    if (o.lost) co_await receive(a, o.rest);
    co_await one.join();
}

task<> exchange(channel<tracked> c, int value, std::string& into) {
    tracked mine(value);
    co_await select(when(c.send_from(mine), [] {}),
                    when(c.receive(), [&](std::optional<tracked> v) { into += std::to_string(v->value); }));
    if (mine.value != -1) into += std::to_string(mine.value);
}

task<> selects_meet(simulation& m, story& o) {
    const channel<tracked> c;
    auto one = rondo::spawn(exchange(c, 1, o.got), "one");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, one), "canceller");
    co_await m.moment();
    auto two = rondo::spawn(exchange(c, 2, o.rest), "two");
    o.cancelled = co_await was_cancelled(one);
    if (o.cancelled) co_await receive(c, o.got);
    co_await two.join();
    co_await cancelling.join();
}

task<> select_send_against_cancel(simulation& m, story& o) {
    const channel<tracked> c;
    const channel<tracked> other;
    tracked value(1);
    auto sends = [&]() -> task<> {
        co_await select(when(other.receive(), [](std::optional<tracked>) {}),
                        when(c.send_from(value), [&] { o.sent = true; }));
    };
    auto sending = rondo::spawn(sends(), "sends");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, sending), "canceller");
    co_await m.moment();
    take_rest(c, o.rest);
    o.cancelled = co_await was_cancelled(sending);
    take_rest(c, o.rest);
    co_await cancelling.join();
    if (value.value != -1) o.got = "1";
}

task<> take_oneshot(rondo::oneshot_receiver<tracked>& r, std::string& into) {
    const tracked v = co_await r;
    into += std::to_string(v.value);
}

task<> oneshot_against_cancel(simulation& m, story& o) {
    auto ends = rondo::oneshot<tracked>::create();
    auto taking = rondo::spawn(take_oneshot(ends.second, o.got), "takes");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, taking), "canceller");
    co_await m.moment();
    ends.first.send(tracked(1));
    o.cancelled = co_await was_cancelled(taking);
    if (o.cancelled) co_await take_oneshot(ends.second, o.rest);
    co_await cancelling.join();
}

/// The element is the one end of a connection: the other sees when it is closed.
task<> give_stream(simulation& m, channel<stream> c, stream s) {
    co_await m.moment();
    co_await c.send(std::move(s));
}

task<> take_stream(channel<stream> c, int& taken) {
    const auto s = co_await c.receive();
    if (s.has_value()) ++taken;
}

task<> streams_against_cancel(simulation& m, int& taken) {
    const channel<stream> c;
    ends e(m);
    auto first = rondo::spawn(take_stream(c, taken), "first");
    auto giving = rondo::spawn(give_stream(m, c, std::move(e.a)), "gives");
    auto cancel_first = rondo::spawn(cancel_at_some_moment(m, first), "cancels the receiver");
    auto cancel_giving = rondo::spawn(cancel_at_some_moment(m, giving), "cancels the sender");
    const bool was = co_await was_cancelled(first);
    const bool gave = !co_await was_cancelled(giving);
    REQUIRE((was || taken == 1));
    REQUIRE((!gave || taken == 1 || c.size() == 1));
    co_await cancel_first.join();
    co_await cancel_giving.join();
}

/// The other kinds of wait: all of them in one line, each cancelled at its own moment.
task<> many_kinds(simulation& m, std::size_t capacity) {
    const channel<tracked> c(capacity);
    std::string got;
    auto one = rondo::spawn(receive(c, got), "one");
    auto two = rondo::spawn(receive_batch(c, got), "two");
    auto cancel_two = rondo::spawn(cancel_at_some_moment(m, two), "canceller");
    auto three = rondo::spawn(select_from(c, c, got), "three");
    co_await c.send(tracked(1));
    co_await m.moment();
    c.try_send(tracked(2));
    c.close();
    co_await was_cancelled(one);
    co_await was_cancelled(two);
    const auto ended = co_await rondo::as_result(three.join());
    static_cast<void>(ended);
    co_await cancel_two.join();
}

}  // namespace

TEST_CASE("a receive against a cancel gives its element, or leaves it for the next receive") {
    int cancelled = 0;
    int delivered = 0;
    everywhere_with_room([&](simulation& m, std::size_t capacity) {
        story o;
        m.run(receive_against_cancel(m, o, capacity));
        REQUIRE(o.got + o.rest == "1");
        REQUIRE(o.got.empty() == o.cancelled);
        ++(o.cancelled ? cancelled : delivered);
    });
    REQUIRE(cancelled > 0);
    REQUIRE(delivered > 0);
}

TEST_CASE("when the first in line is cancelled the second gets the element, which is never lost or given twice") {
    int cancelled = 0;
    int delivered = 0;
    everywhere_with_room([&](simulation& m, std::size_t capacity) {
        story o;
        m.run(two_receivers_against_cancel(m, o, capacity));
        REQUIRE(o.got == (o.cancelled ? "" : "1"));
        REQUIRE(o.rest == (o.cancelled ? "1" : "2"));
        ++(o.cancelled ? cancelled : delivered);
    });
    REQUIRE(cancelled > 0);
    REQUIRE(delivered > 0);
}

TEST_CASE("a send against a cancel sends its element and says so, or destroys it") {
    int cancelled = 0;
    int sent = 0;
    everywhere_with_room([&](simulation& m, std::size_t capacity) {
        story o;
        m.run(send_against_cancel(m, o, capacity));
        REQUIRE(o.sent != o.cancelled);
        REQUIRE(o.rest == std::string(capacity == 0 ? "" : "0") + (o.sent ? "1" : ""));
        ++(o.cancelled ? cancelled : sent);
    });
    REQUIRE(cancelled > 0);
    REQUIRE(sent > 0);
}

TEST_CASE("a send against a close goes in whole, or fails and leaves the element with its owner") {
    int closed = 0;
    int sent = 0;
    everywhere_with_room([&](simulation& m, std::size_t capacity) {
        story o;
        m.run(send_from_against_close(m, o, capacity));
        REQUIRE(o.sent != o.lost);
        REQUIRE(o.got == (o.sent ? "-1" : "1"));
        REQUIRE(o.rest == std::string(capacity == 0 ? "" : "0") + (o.sent ? "1" : ""));
        ++(o.sent ? sent : closed);
    });
    REQUIRE(closed > 0);
    REQUIRE(sent > 0);
}

TEST_CASE("what went in before a close comes out, and what did not was refused") {
    int refused = 0;
    int received = 0;
    everywhere_with_room([&](simulation& m, std::size_t capacity) {
        story o;
        m.run(receive_against_close(m, o, capacity));
        REQUIRE(o.got == (o.lost ? "" : "1"));
        ++(o.lost ? refused : received);
    });
    REQUIRE(refused > 0);
    REQUIRE(received > 0);
}

TEST_CASE("a receive that loses a race leaves or gives back its element") {
    int lost = 0;
    int won = 0;
    everywhere_with_room([&](simulation& m, std::size_t capacity) {
        story o;
        m.run(race_receive(m, o, capacity));
        REQUIRE(o.got + o.rest == "1");
        ++(o.lost ? lost : won);
    });
    REQUIRE(lost > 0);
    REQUIRE(won > 0);
}

TEST_CASE("a receive beside a job that fails leaves or gives back its element") {
    everywhere_with_room([&](simulation& m, std::size_t capacity) {
        story o;
        m.run(receive_beside_failure(m, o, capacity));
        REQUIRE(o.lost);
        REQUIRE(o.rest == "1");
    });
}

TEST_CASE("a receive with a timeout has its element, or times out and leaves it") {
    int lost = 0;
    int received = 0;
    everywhere_with_room([&](simulation& m, std::size_t capacity) {
        story o;
        m.run(receive_against_timeout(m, o, capacity));
        REQUIRE(o.got + o.rest == "1");
        ++(o.lost ? lost : received);
    });
    REQUIRE(lost > 0);
    REQUIRE(received > 0);
}

TEST_CASE("a select against a cancel takes one element or none, and the other channels keep theirs") {
    int cancelled = 0;
    int timed_out = 0;
    int first = 0;
    int second = 0;
    const auto scenario = [&](simulation& m, std::size_t capacity) {
        story o;
        m.run(select_against_cancel(m, o, capacity));
        REQUIRE(o.got.size() <= 1);
        REQUIRE(o.got.empty() == o.cancelled);
        REQUIRE(o.rest == (o.got == "1" ? "2" : o.got == "2" ? "1" : "12"));
        ++(o.cancelled ? cancelled : o.got == "t" ? timed_out : o.got == "1" ? first : second);
    };
    everywhere_with_room(scenario);
    REQUIRE(cancelled > 0);
    REQUIRE(timed_out > 0);
    REQUIRE(first > 0);
    REQUIRE(second > 0);
}

TEST_CASE("two selects that would send to and receive from each other exchange one element, or none") {
    int met = 0;
    int cancelled = 0;
    const auto scenario = [&](simulation& m) {
        story o;
        m.run(selects_meet(m, o));
        // Who received has both, who sent has none.
        REQUIRE((o.got + o.rest == "12" || o.got + o.rest == "21" || (o.cancelled && o.got == "2" && o.rest.empty())));
        REQUIRE(tracked::alive == 0);
        ++(o.cancelled ? cancelled : met);
    };
    REQUIRE(explore(scenario).is_complete());
    for_seeds(seeds / 10, scenario);
    REQUIRE(met > 0);
    REQUIRE(cancelled > 0);
}

TEST_CASE("a send as a branch against a cancel goes in and is handled, or stays with its owner") {
    int sent = 0;
    int cancelled = 0;
    const auto scenario = [&](simulation& m) {
        story o;
        m.run(select_send_against_cancel(m, o));
        REQUIRE(o.sent != o.cancelled);
        REQUIRE(o.rest == (o.sent ? "1" : ""));
        REQUIRE(o.got == (o.sent ? "" : "1"));
        REQUIRE(tracked::alive == 0);
        ++(o.sent ? sent : cancelled);
    };
    REQUIRE(explore(scenario).is_complete());
    for_seeds(seeds / 10, scenario);
    REQUIRE(sent > 0);
    REQUIRE(cancelled > 0);
}

TEST_CASE("a select that loses a race leaves or gives back what it was given") {
    int lost = 0;
    int won = 0;
    everywhere_with_room([&](simulation& m, std::size_t capacity) {
        story o;
        m.run(race_select(m, o, capacity));
        REQUIRE(o.got + o.rest == "1");
        ++(o.lost ? lost : won);
    });
    REQUIRE(lost > 0);
    REQUIRE(won > 0);
}

TEST_CASE("a oneshot against a cancel gives its value, or keeps it for the next receive") {
    int cancelled = 0;
    int delivered = 0;
    const auto scenario = [&](simulation& m) {
        story o;
        m.run(oneshot_against_cancel(m, o));
        REQUIRE(o.got + o.rest == "1");
        REQUIRE(tracked::alive == 0);
        ++(o.cancelled ? cancelled : delivered);
    };
    REQUIRE(explore(scenario).is_complete());
    for_seeds(seeds / 10, scenario);
    REQUIRE(cancelled > 0);
    REQUIRE(delivered > 0);
}

TEST_CASE("a connection in a channel is received, still there, or closed once, wherever the cancels come") {
    int taken = 0;
    const auto scenario = [&](simulation& m) {
        m.run(streams_against_cancel(m, taken = 0));
        m.check();
    };
    REQUIRE(explore(scenario).is_complete());
    for_seeds(seeds / 10, scenario);
}

TEST_CASE("waits of every kind in one line go through every state that a wait in a list can have") {
    for (const std::size_t capacity : {std::size_t{0}, std::size_t{2}}) {
        const auto e = explore([&](simulation& m) {
            m.run(many_kinds(m, capacity));
            REQUIRE(tracked::alive == 0);
        });
        REQUIRE(e.is_complete());
#ifndef NDEBUG
        const auto& leaves = e.leaves();
        for (const cell c : {cell::idle_armed, cell::idle_at_once, cell::armed_done, cell::armed_ended,
                             cell::done_delivered, cell::done_cancelled, cell::ended_thrown}) {
            INFO(static_cast<int>(c));
            REQUIRE(leaves.count(c) > 0);
        }
#endif
    }
}
