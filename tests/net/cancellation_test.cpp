// A byte, a connection or a buffer that arrives in the moment of a cancel is delivered or still there: never lost.
#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/event.hpp>
#include <rondo/net/listener.hpp>
#include <rondo/net/stream.hpp>
#include <rondo/race.hpp>
#include <rondo/run.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "net/pair.hpp"
#include "support/catch.hpp"

using rondo::errc;
using rondo::event;
using rondo::mutable_bytes;
using rondo::run;
using rondo::task;
using rondo::net::chunk;
using rondo::net::listener;
using rondo::net::stream;
namespace net = rondo::net;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

constexpr int races = 10'000;

/// Some turns of the loop, some time, or nothing.
task<> wander(std::minstd_rand& random) {
    switch (random() % 6) {
        case 0: break;
        case 1: co_await this_job::yield(); break;
        case 2: {
            for (auto n = random() % 5; n != 0; --n) co_await this_job::yield();
            break;
        }
        case 3: co_await rondo::sleep_for(std::chrono::nanoseconds(random() % 20'000)); break;
        case 4: co_await rondo::sleep_for(1us); break;
        default: {
            co_await this_job::yield();
            co_await rondo::sleep_for(std::chrono::nanoseconds(random() % 3'000));
            break;
        }
    }
}

/// From nothing to a millisecond, each magnitude as often as the others: on a slow machine or a fast one, either side
/// of a race wins now and then.
std::chrono::nanoseconds some_time(std::minstd_rand& random) {
    static constexpr std::array<unsigned, 5> below{100, 1'000, 10'000, 100'000, 1'000'000};
    const unsigned limit = below[random() % below.size()];
    return std::chrono::nanoseconds(random() % limit);
}

/// Writes single bytes 0, 1, 2 … at random moments, one for each that `go` asks for.
class sender {
public:
    explicit sender(stream s, unsigned seed) : stream_(std::move(s)), random_(seed) {}
    task<> send_all(int count) {
        for (int i = 0; i < count; ++i) {
            co_await wander(random_);
            const std::array<unsigned char, 1> one{static_cast<unsigned char>(i)};
            co_await stream_.write_all(one);
        }
        stream_.shutdown();
    }

private:
    stream stream_;
    std::minstd_rand random_;
};

/// What the reader saw: how many bytes, and whether each was the next one.
struct tally {
    long received = 0;
    bool in_order = true;
    long won = 0;
    long lost = 0;
    void add(rondo::bytes b) {
        for (const std::byte x : b) {
            if (std::to_integer<int>(x) != received % 256) in_order = false;
            ++received;
        }
    }
};

template <class Attempt>
tally race_bytes(int count, unsigned seed, Attempt attempt) {
    tally t;
    auto body = [&]() -> task<> {
        ends e = unix_ends();
        sender from(std::move(e.a), seed);
        auto sending = rondo::spawn(from.send_all(count), "sender");
        std::minstd_rand random(seed * 7 + 1);
        bool over = false;
        while (!over) over = co_await attempt(e.b, random, t);
        co_await sending.join();
    };
    run(body());
    return t;
}

void check(const tally& t, int count) {
    CHECK(t.received == count);
    CHECK(t.in_order);
    CHECK(t.won > 0);
    CHECK(t.lost > 0);
}

}  // namespace

TEST_CASE("a byte against a sleep in a race: every byte sent is received, in order") {
    auto attempt = [](stream& s, std::minstd_rand& random, tally& t) -> task<bool> {
        const auto d = some_time(random);
        auto v = co_await rondo::race(s.read(), rondo::sleep_for(d));
        if (v.index() == 1) {
            ++t.lost;
            co_return false;
        }
        ++t.won;
        const chunk& c = std::get<0>(v);
        t.add(c);
        co_return c.empty();
    };
    check(race_bytes(races, 1, attempt), races);
}

TEST_CASE("a byte against an event in a race, read_some into the caller's buffer") {
    auto attempt = [](stream& s, std::minstd_rand& random, tally& t) -> task<bool> {
        event stop;
        auto stopper = [&]() -> task<> {
            co_await wander(random);
            stop.set();
        };
        auto h = rondo::spawn(stopper(), "stopper");
        std::array<std::byte, 16> buffer{};
        auto v = co_await rondo::race(s.read_some(buffer), stop.wait());
        co_await h.join();
        if (v.index() == 1) {
            ++t.lost;
            co_return false;
        }
        ++t.won;
        const std::size_t n = std::get<0>(v);
        t.add(rondo::bytes(buffer).first(n));
        co_return n == 0;
    };
    check(race_bytes(races, 2, attempt), races);
}

TEST_CASE("the event first in the race, the read second") {
    auto attempt = [](stream& s, std::minstd_rand& random, tally& t) -> task<bool> {
        const auto d = some_time(random);
        auto v = co_await rondo::race(rondo::sleep_for(d), s.read());
        if (v.index() == 0) {
            ++t.lost;
            co_return false;
        }
        ++t.won;
        const chunk& c = std::get<1>(v);
        t.add(c);
        co_return c.empty();
    };
    check(race_bytes(races, 3, attempt), races);
}

TEST_CASE("a byte against a timeout, of none to a few microseconds") {
    auto attempt = [](stream& s, std::minstd_rand& random, tally& t) -> task<bool> {
        const auto d = some_time(random);
        auto r = co_await rondo::as_result(rondo::with_timeout(d, s.read()));
        if (!r) {
            if (r.error() != errc::timed_out) t.in_order = false;
            ++t.lost;
            co_return false;
        }
        ++t.won;
        t.add(*r);
        co_return r->empty();
    };
    check(race_bytes(races, 4, attempt), races);
}

TEST_CASE("a byte against the cancel of the job that reads it, kept by the job's own variable") {
    auto attempt = [](stream& s, std::minstd_rand& random, tally& t) -> task<bool> {
        bool over = false;
        auto reads = [&]() -> task<> {
            std::array<std::byte, 4> buffer{};
            const std::size_t n = co_await s.read_some(buffer);
            ++t.won;
            t.add(rondo::bytes(buffer).first(n));
            over = n == 0;
        };
        auto h = rondo::spawn(reads(), "reads");
        co_await wander(random);
        h.cancel();
        const auto r = co_await rondo::as_result(h.join());
        if (!r) ++t.lost;
        co_return over;
    };
    check(race_bytes(races, 5, attempt), races);
}

TEST_CASE("a byte against a failing sibling: when_all gives nothing, and the byte is the next read's") {
    auto attempt = [](stream& s, std::minstd_rand& random, tally& t) -> task<bool> {
        auto fails = [&]() -> task<> {
            co_await wander(random);
            throw rondo::error(errc::abandoned, "sibling");
        };
        const auto r = co_await rondo::as_result(rondo::when_all(s.read(), fails()));
        if (!r) ++t.lost;
        if (random() % 2 == 0) co_return false;
        const chunk c = co_await s.read();
        ++t.won;
        t.add(c);
        co_return c.empty();
    };
    check(race_bytes(races / 4, 6, attempt), races / 4);
}

TEST_CASE("the same races with all buffers of the context taken") {
    tally t;
    constexpr int count = races / 4;
    auto body = [&]() -> task<> {
        std::vector<chunk> held;
        ends filler = unix_ends();
        for (int i = 0; i < 64; ++i) {
            co_await filler.a.write_all("x");
            held.push_back(co_await filler.b.read());
        }
        ends e = unix_ends();
        sender from(std::move(e.a), 8);
        auto sending = rondo::spawn(from.send_all(count), "sender");
        std::minstd_rand random(9);
        for (;;) {
            const auto d = some_time(random);
            auto v = co_await rondo::race(e.b.read(), rondo::sleep_for(d));
            if (v.index() == 1) {
                ++t.lost;
                continue;
            }
            ++t.won;
            t.add(std::get<0>(v));
            if (std::get<0>(v).empty()) break;
        }
        co_await sending.join();
    };
    run(body());
    check(t, count);
}

TEST_CASE("connections against a cancel: every connection made is accepted once") {
    constexpr int count = 1000;
    int accepted = 0;
    int lost = 0;
    auto body = [&]() -> task<> {
        listener l("127.0.0.1:0");
        std::minstd_rand random(11);
        std::minstd_rand pauses(12);
        std::vector<stream> clients;
        auto connects = [&]() -> task<> {
            for (int i = 0; i < count; ++i) {
                co_await wander(pauses);
                clients.push_back(co_await net::connect(l.local()));
                if (clients.size() > 100) clients.clear();
            }
        };
        auto h = rondo::spawn(connects(), "connects");
        while (accepted < count) {
            const auto d = some_time(random);
            auto v = co_await rondo::race(l.accept(), rondo::sleep_for(d));
            if (v.index() == 0) ++accepted;
            else ++lost;
        }
        co_await h.join();
        const auto none = co_await rondo::as_result(rondo::with_timeout(1ms, l.accept()));
        CHECK(none.error() == errc::timed_out);
    };
    run(body());
    CHECK(accepted == count);
    CHECK(lost > 0);
}

TEST_CASE("an accept that is cancelled in the very turn of its completion keeps the connection") {
    auto body = []() -> task<> {
        listener l("127.0.0.1:0");
        for (int i = 0; i < 200; ++i) {
            const stream c = co_await net::connect(l.local());
            // The connection waits already, so the accept completes in the turn in which the timer fires.
            auto v = co_await rondo::race(rondo::sleep_for(1ns), l.accept());
            std::optional<stream> s;
            if (v.index() == 1) s.emplace(std::move(std::get<1>(v)));
            else s.emplace(co_await rondo::with_timeout(10s, l.accept()));
            REQUIRE(s->peer() == c.local());
        }
    };
    run(body());
}

TEST_CASE("a write_some that is cancelled has written nothing, or gives what it wrote") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        const std::string big(4U << 20U, 'x');
        std::size_t told = 0;
        int cancelled = 0;
        for (int i = 0; i < 50; ++i) {
            const auto r =
                co_await rondo::as_result(rondo::with_timeout(std::chrono::microseconds(i), e.a.write_some(big)));
            if (r) told += *r;
            else ++cancelled;
        }
        e.a.close();
        std::size_t received = 0;
        for (;;) {
            const chunk c = co_await e.b.read();
            if (c.empty()) break;
            received += c.size();
        }
        CHECK(told > 0);
        CHECK(received == told);
        CHECK(cancelled > 0);
    };
    run(body());
}

TEST_CASE("a write_all that is cancelled half way is cancelled, and the stream closes cleanly") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        const std::string big(8U << 20U, 'x');
        const auto r = co_await rondo::as_result(rondo::with_timeout(2ms, e.a.write_all(big)));
        REQUIRE_FALSE(r.has_value());
        CHECK(r.error() == errc::timed_out);
        e.a.close();
        std::size_t received = 0;
        for (;;) {
            const chunk c = co_await e.b.read();
            if (c.empty()) break;
            received += c.size();
        }
        CHECK(received < big.size());
    };
    run(body());
}

TEST_CASE("a connect that is cancelled closes its socket") {
    auto body = []() -> task<> {
        // Once the queue of a listener is full the kernel lets further connects wait.
        const listener full("127.0.0.1:0", net::listener_options().backlog(0));
        std::vector<stream> queued;
        bool timed_out = false;
        while (!timed_out && queued.size() < 20) {
            auto r = co_await rondo::as_result(rondo::with_timeout(30ms, net::connect(full.local())));
            if (r) queued.push_back(std::move(*r));
            else timed_out = r.error() == errc::timed_out;
        }
        CHECK(timed_out);
    };
    run(body());
}

TEST_CASE("a read under a shield goes on in a cancelled job") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        std::string got;
        auto job = [&]() -> task<> {
            const chunk c = co_await rondo::shield(e.b.read());
            got = c.text();
            co_await this_job::yield();
            got = "it went on";
        };
        auto h = rondo::spawn(job(), "shielded");
        co_await this_job::yield();
        h.cancel();
        co_await this_job::yield();
        co_await e.a.write_all("still");
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error() == errc::cancelled);
        CHECK(got == "still");
    };
    run(body());
}

TEST_CASE("the end of the run cancels reads, writes, accepts and connects of jobs that are left") {
    auto body = []() -> task<> {
        auto e = std::make_shared<ends>(unix_ends());
        auto l = std::make_shared<listener>("127.0.0.1:0");
        auto reads = [](std::shared_ptr<ends> mine) -> task<> { (void)co_await mine->a.read(); };
        auto writes = [](std::shared_ptr<ends> mine) -> task<> {
            const std::string big(8U << 20U, 'x');
            (void)co_await mine->a.write_all(big);
        };
        auto accepts = [](std::shared_ptr<listener> mine) -> task<> { (void)co_await mine->accept(); };
        rondo::spawn(reads(e), "reads").detach();
        rondo::spawn(writes(e), "writes").detach();
        rondo::spawn(accepts(l), "accepts").detach();
        co_await rondo::sleep_for(1ms);
    };
    run(body());
}
