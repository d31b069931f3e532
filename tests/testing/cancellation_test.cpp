// Cancellation at every point at which it can arrive, against every order of completions.
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <rondo/cancelled.hpp>
#include <rondo/race.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "testing/scenario.hpp"

using rondo::errc;
using rondo::mutable_bytes;
using namespace std::chrono_literals;
namespace net = rondo::net;

namespace {

struct story {
    std::string got;   // by the job that was cancelled
    std::string rest;  // afterwards
    bool cancelled = false;
    bool timed_out = false;
    bool closed = false;
    bool first_done = false;
    int count = 0;
};

task<> read_against_cancel(simulation& m, story& o) {
    ends e(m);
    auto reading = rondo::spawn(read_once(e.a, o.got), "reader");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, reading), "canceller");
    co_await write_and_end(e.b, "hello");
    o.cancelled = co_await was_cancelled(reading);
    co_await cancelling.join();
    co_await read_to_end(e.a, o.rest);
}

task<> read_some_into(stream& s, std::string& into) {
    char buffer[4] = {};
    const std::size_t n = co_await s.read_some(mutable_bytes(buffer, sizeof buffer));
    into.append(buffer, n);
}

task<> read_some_against_cancel(simulation& m, story& o) {
    ends e(m);
    auto reading = rondo::spawn(read_some_into(e.a, o.got), "reader");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, reading), "canceller");
    co_await write_and_end(e.b, "hello");
    o.cancelled = co_await was_cancelled(reading);
    co_await cancelling.join();
    co_await read_to_end(e.a, o.rest);
}

task<> write_all_of(stream& s, const std::string& text, bool& done) {
    co_await s.write_all(text);
    done = true;
}

task<> write_against_cancel(simulation& m, story& o, const std::string& text) {
    ends e(m);
    auto writing = rondo::spawn(write_all_of(e.a, text, o.first_done), "writer");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, writing), "canceller");
    auto reading = rondo::spawn(read_to_end(e.b, o.got), "reader");
    o.cancelled = co_await was_cancelled(writing);
    e.a.close();
    co_await cancelling.join();
    co_await reading.join();
}

task<> accept_one(listener& l, int& count) {
    const stream s = co_await l.accept();
    ++count;
}

task<> accept_against_cancel(simulation& m, story& o) {
    listener l("127.0.0.1:0");
    auto accepting = rondo::spawn(accept_one(l, o.count), "acceptor");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, accepting), "canceller");
    const stream s = co_await net::connect(l.local());
    o.cancelled = co_await was_cancelled(accepting);
    co_await cancelling.join();
    if (o.cancelled) co_await accept_one(l, o.count);
}

task<> race_accept(simulation& m, story& o) {
    listener l("127.0.0.1:0");
    auto connecting = rondo::spawn(net::connect(l.local()), "connect");
    {
        const auto winner = co_await rondo::race(l.accept(), m.moment());
        o.first_done = winner.index() == 0;
    }
    const stream s = co_await connecting.join();
    if (!o.first_done) co_await accept_one(l, o.count);
}

task<> race_accept_then_close(simulation& m) {
    listener l("127.0.0.1:0");
    auto connecting = rondo::spawn(net::connect(l.local()), "connect");
    {
        const auto winner = co_await rondo::race(l.accept(), m.moment());
        if (winner.index() == 1) l.close();
    }
    const auto connected = co_await rondo::as_result(connecting.join());
    if (!connected.has_value() && connected.error().code() != std::errc::connection_refused) connected.error().raise();
}

task<> race_read_some(simulation& m, story& o) {
    ends e(m);
    auto writing = rondo::spawn(write_and_end(e.b, "hello"), "writer");
    {
        char buffer[4] = {};
        const auto winner = co_await rondo::race(e.a.read_some(mutable_bytes(buffer, sizeof buffer)), m.moment());
        o.first_done = winner.index() == 0;
        if (o.first_done) o.got.assign(buffer, std::get<0>(winner));
    }
    co_await writing.join();
    co_await read_to_end(e.a, o.rest);
}

task<> connect_against_timeout(simulation& m, story& o) {
    listener l("unix:/full", net::listener_options().backlog(1));
    const stream first = co_await net::connect(l.local());
    auto accepting = rondo::spawn(accept_one(l, o.count), "acceptor");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, accepting), "canceller");
    const result<stream> second = co_await rondo::as_result(rondo::with_timeout(1s, net::connect(l.local())));
    o.timed_out = !second.has_value() && second.error().code() == errc::timed_out;
    o.first_done = second.has_value();
    co_await cancelling.join();
    o.cancelled = co_await was_cancelled(accepting);
}

task<> race_two_reads(simulation& m, story& o) {
    ends one(m);
    ends two(m);
    auto first = rondo::spawn(write_and_end(one.b, "one"), "first");
    auto second = rondo::spawn(write_and_end(two.b, "two"), "second");
    {
        const auto winner = co_await rondo::race(one.a.read(), two.a.read());
        o.first_done = winner.index() == 0;
        if (o.first_done) o.got = std::get<0>(winner).text();
        else o.rest = std::get<1>(winner).text();
    }
    co_await first.join();
    co_await second.join();
    co_await read_to_end(one.a, o.got);
    co_await read_to_end(two.a, o.rest);
}

task<> fail_at_some_moment(simulation& m) {
    co_await m.moment();
    throw rondo::error(rondo::fault(errc::invalid_argument, "planted"));
}

task<> read_beside_failure(simulation& m, story& o) {
    ends e(m);
    auto writing = rondo::spawn(write_and_end(e.b, "hello"), "writer");
    const auto both = co_await rondo::as_result(rondo::when_all(read_once(e.a, o.got), fail_at_some_moment(m)));
    o.cancelled = !both.has_value() && both.error().code() == errc::invalid_argument;
    co_await writing.join();
    co_await read_to_end(e.a, o.rest);
}

task<> write_later(simulation& m, stream& s) {
    co_await m.moment();
    co_await write_and_end(s, "hello");
}

task<> read_against_timeout(simulation& m, story& o) {
    ends e(m);
    auto writing = rondo::spawn(write_later(m, e.b), "writer");
    {
        const auto r = co_await rondo::as_result(rondo::with_timeout(1s, e.a.read()));
        o.timed_out = !r.has_value() && r.error().code() == errc::timed_out;
        if (r.has_value()) o.got = r->text();
    }
    co_await writing.join();
    co_await read_to_end(e.a, o.rest);
}

task<> shielded_write(stream& s, story& o) {
    co_await rondo::shield(write_and_end(s, "whole"));
    o.first_done = true;
}

task<> shield_against_cancel(simulation& m, story& o) {
    ends e(m);
    auto writing = rondo::spawn(shielded_write(e.b, o), "writer");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, writing), "canceller");
    co_await read_to_end(e.a, o.got);
    o.cancelled = co_await was_cancelled(writing);
    co_await cancelling.join();
}

task<> join_it(join_handle<void>& h, bool& done) {
    co_await h.join();
    done = true;
}

task<> join_against_cancel(simulation& m, story& o) {
    ends e(m);
    auto reading = rondo::spawn(read_to_end(e.a, o.got), "reader");
    auto joining = rondo::spawn(join_it(reading, o.first_done), "joiner");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, joining), "canceller");
    co_await write_and_end(e.b, "hello");
    o.cancelled = co_await was_cancelled(joining);
    co_await cancelling.join();
    co_await reading.join();
}

task<> close_at_some_moment(simulation& m, stream& s) {
    co_await m.moment();
    s.close();
}

task<> read_against_close(simulation& m, story& o) {
    ends e(m);
    auto closing = rondo::spawn(close_at_some_moment(m, e.a), "closer");
    auto writing = rondo::spawn(write_and_end(e.b, "hello"), "writer");
    const auto r = co_await rondo::as_result(e.a.read());
    o.closed = !r.has_value() && r.error().code() == errc::closed;
    if (r.has_value()) o.got = r->text();
    co_await closing.join();
    const auto wrote = co_await rondo::as_result(writing.join());
    if (!wrote.has_value() && wrote.error().code() != std::errc::broken_pipe) wrote.error().raise();
    // The peer sees the end, however late the close came.
    std::string answer;
    const auto ended = co_await rondo::as_result(read_to_end(e.b, answer));
    o.first_done = answer.empty() && (ended.has_value() || ended.error().code() == std::errc::connection_reset);
}

task<> swallow_cancels(simulation& m, stream& s, story& o) {
    for (int i = 0; i < 3; ++i) {
        try {
            co_await read_once(s, o.got);
        } catch (const rondo::cancelled&) {
            ++o.count;
        }
    }
    co_await rondo::shield(m.moment());
}

task<> swallow_against_cancel(simulation& m, story& o) {
    ends e(m);
    auto reading = rondo::spawn(swallow_cancels(m, e.a, o), "swallower");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, reading), "canceller");
    auto again = rondo::spawn(cancel_at_some_moment(m, reading), "second canceller");
    co_await write_and_end(e.b, "hello");
    co_await reading.join();
    co_await cancelling.join();
    co_await again.join();
}

}  // namespace

TEST_CASE("a read against a cancel gives its bytes, or leaves them for the next read") {
    int cancelled = 0;
    int delivered = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(read_against_cancel(m, o));
        REQUIRE(o.got + o.rest == "hello");
        if (o.cancelled) REQUIRE(o.got.empty());
        ++(o.cancelled ? cancelled : delivered);
    });
    REQUIRE(cancelled > 0);
    REQUIRE(delivered > 0);
}

TEST_CASE("a read into the caller's buffer against a cancel loses no byte") {
    int cancelled = 0;
    int delivered = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(read_some_against_cancel(m, o));
        REQUIRE(o.got + o.rest == "hello");
        ++(o.cancelled ? cancelled : delivered);
    });
    REQUIRE(cancelled > 0);
    REQUIRE(delivered > 0);
}

TEST_CASE("a write against a cancel sends a part, or all and says so") {
    const std::string text = "0123456789";
    int cancelled = 0;
    int whole = 0;
    const auto scenario = [&](simulation& m) {
        story o;
        m.run(write_against_cancel(m, o, text));
        REQUIRE(text.starts_with(o.got));
        REQUIRE(o.first_done != o.cancelled);
        if (o.first_done) REQUIRE(o.got == text);
        ++(o.cancelled ? cancelled : whole);
    };
    SECTION("in every order") {
        const auto e = explore(explore_options().with(faults().socket_buffer(4)), scenario);
        REQUIRE(e.is_complete());
    }
    SECTION("under seeds with faults") { for_seeds(seeds, faults::all().socket_buffer(4), scenario); }
    REQUIRE(cancelled > 0);
    REQUIRE(whole > 0);
}

TEST_CASE("an accept against a cancel gives the connection, or leaves it for the next accept") {
    int cancelled = 0;
    int accepted = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(accept_against_cancel(m, o));
        REQUIRE(o.count == 1);
        ++(o.cancelled ? cancelled : accepted);
    });
    REQUIRE(cancelled > 0);
    REQUIRE(accepted > 0);
}

TEST_CASE("a connect to a full listener connects or times out") {
    int timed_out = 0;
    int connected = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(connect_against_timeout(m, o));
        REQUIRE(o.timed_out != o.first_done);
        REQUIRE((o.count == 1) != o.cancelled);
        ++(o.timed_out ? timed_out : connected);
    });
    REQUIRE(timed_out > 0);
    REQUIRE(connected > 0);
}

TEST_CASE("a race of two reads keeps the loser's bytes for its next read") {
    int first = 0;
    int second = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(race_two_reads(m, o));
        REQUIRE(o.got == "one");
        REQUIRE(o.rest == "two");
        ++(o.first_done ? first : second);
    });
    REQUIRE(first > 0);
    REQUIRE(second > 0);
}

TEST_CASE("an accept that loses a race keeps its connection for the next one, or closes it with the listener") {
    int lost = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(race_accept(m, o));
        REQUIRE(o.first_done != (o.count == 1));
        m.run(race_accept_then_close(m));
        if (!o.first_done) ++lost;
    });
    REQUIRE(lost > 0);
}

TEST_CASE("a read into the caller's buffer that loses a race keeps its bytes for the next read") {
    int lost = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(race_read_some(m, o));
        REQUIRE(o.got + o.rest == "hello");
        if (!o.first_done) ++lost;
    });
    REQUIRE(lost > 0);
}

TEST_CASE("a read beside a job that fails keeps its bytes or leaves them") {
    int with_bytes = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(read_beside_failure(m, o));
        REQUIRE(o.cancelled);
        REQUIRE(o.got + o.rest == "hello");
        if (!o.got.empty()) ++with_bytes;
    });
    REQUIRE(with_bytes > 0);
}

TEST_CASE("a read with a timeout has bytes, or times out and leaves them") {
    int timed_out = 0;
    int delivered = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(read_against_timeout(m, o));
        REQUIRE(o.got + o.rest == "hello");
        if (o.timed_out) REQUIRE(o.got.empty());
        ++(o.timed_out ? timed_out : delivered);
    });
    REQUIRE(timed_out > 0);
    REQUIRE(delivered > 0);
}

TEST_CASE("a shielded write is whole wherever the cancel comes") {
    int cancelled = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(shield_against_cancel(m, o));
        if (o.cancelled && !o.first_done) REQUIRE((o.got.empty() || o.got == "whole"));
        else REQUIRE(o.got == "whole");
        if (o.cancelled) ++cancelled;
    });
    REQUIRE(cancelled >= 0);
}

TEST_CASE("cancelling a join leaves the job alone") {
    int cancelled = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(join_against_cancel(m, o));
        REQUIRE(o.got == "hello");
        REQUIRE(o.first_done != o.cancelled);
        if (o.cancelled) ++cancelled;
    });
    REQUIRE(cancelled > 0);
}

TEST_CASE("a close with a read in flight ends the read, and then the connection") {
    int closed = 0;
    int delivered = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(read_against_close(m, o));
        REQUIRE(o.first_done);
        ++(o.closed ? closed : delivered);
    });
    REQUIRE(closed > 0);
    REQUIRE(delivered > 0);
}

TEST_CASE("a loop that swallows cancels gets one at every wait, and ends") {
    int swallowed = 0;
    everywhere([&](simulation& m) {
        story o;
        m.run(swallow_against_cancel(m, o));
        swallowed += o.count;
    });
    REQUIRE(swallowed > 0);
}
