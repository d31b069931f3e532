#include <rondo/net/stream.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/event.hpp>
#include <rondo/net/listener.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "net/pair.hpp"
#include "support/catch.hpp"

using rondo::bytes;
using rondo::errc;
using rondo::mutable_bytes;
using rondo::run;
using rondo::task;
using rondo::net::chunk;
using rondo::net::endpoint;
using rondo::net::listener;
using rondo::net::stream;
namespace net = rondo::net;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

std::string pattern(std::size_t n) {
    std::string s(n, '\0');
    std::uint32_t x = 1;
    for (char& c : s) {
        x = x * 1664525U + 1013904223U;
        c = static_cast<char>(x >> 24U);
    }
    return s;
}

task<> echo(stream s) {
    for (;;) {
        const chunk c = co_await s.read();
        if (c.empty()) break;
        co_await s.write_all(c);
    }
}
task<> echo_one(listener& l) {
    stream s = co_await l.accept();
    co_await echo(std::move(s));
}
task<std::string> read_to_end(stream& s) {
    std::string all;
    for (;;) {
        const chunk c = co_await s.read();
        if (c.empty()) break;
        all += c.text();
    }
    co_return all;
}
task<std::string> ask(endpoint at, const std::string& question) {
    stream s = co_await net::connect(at);
    CHECK(s.peer() == at);
    auto sends = [&]() -> task<> {
        co_await s.write_all(question);
        s.shutdown();
    };
    auto [sent, answer] = co_await rondo::when_all(sends(), read_to_end(s));
    (void)sent;
    co_return answer;
}

std::string temporary_path(const char* name) { return "/tmp/rondo-" + std::to_string(::getpid()) + "-" + name; }

/// The outcome of an awaitable as text.
template <class A>
task<std::string> error_of(A a) {
    const auto r = co_await rondo::as_result(std::move(a));
    co_return r.has_value() ? std::string("no error") : r.error().text();
}

void reset(stream& s) {
    const linger l{1, 0};
    ::setsockopt(s.native_handle(), SOL_SOCKET, SO_LINGER, &l, sizeof l);
    s.close();
}

}  // namespace

TEST_CASE("what is written comes back through an echo over tcp4, tcp6 and unix sockets") {
    const std::string path = temporary_path("echo.sock");
    for (const std::string& at : {std::string("127.0.0.1:0"), std::string("[::1]:0"), "unix:" + path}) {
        INFO(at);
        auto body = [&]() -> task<> {
            listener l(at);
            const std::string question = pattern(100'000);
            auto [served, answer] = co_await rondo::when_all(echo_one(l), ask(l.local(), question));
            CHECK((answer == question));
            (void)served;
        };
        run(body());
    }
    CHECK(::access(path.c_str(), F_OK) != 0);
}

TEST_CASE("read gives bytes as they come and an empty chunk at the end, again and again") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        co_await e.a.write_all("hello");
        const chunk c = co_await e.b.read();
        CHECK(c.text() == "hello");
        CHECK(bytes(c).size() == 5);
        e.a.shutdown();
        for (int i = 0; i < 3; ++i) {
            const chunk end = co_await e.b.read();
            CHECK(end.empty());
        }
        co_await e.b.write_all("still open this way");
        const chunk back = co_await e.a.read();
        CHECK(back.text() == "still open this way");
    };
    run(body());
}

TEST_CASE("read_some fills at most the span it is given, and is 0 only at the end or for an empty span") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        co_await e.a.write_all("abcdefgh");
        std::array<char, 3> three{};
        const std::size_t n = co_await e.b.read_some(three);
        CHECK(n == 3);
        CHECK(std::string_view(three.data(), 3) == "abc");
        const std::size_t none = co_await e.b.read_some(mutable_bytes());
        CHECK(none == 0);
        const chunk rest = co_await e.b.read();
        CHECK(rest.text() == "defgh");
        e.a.close();
        const std::size_t end = co_await e.b.read_some(three);
        CHECK(end == 0);
    };
    run(body());
}

TEST_CASE("read_exactly fills the span over several arrivals, or says how much came before the end") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        std::string into(6, ' ');
        auto sends = [&]() -> task<> {
            co_await e.a.write_all("ab");
            co_await this_job::yield();
            co_await e.a.write_all("cd");
            co_await rondo::sleep_for(1ms);
            co_await e.a.write_all("efgh");
            e.a.shutdown();
        };
        co_await rondo::when_all(sends(), e.b.read_exactly(into));
        CHECK(into == "abcdef");
        const std::string text = co_await error_of(e.b.read_exactly(into));
        CHECK(text == "read_exactly unix:: end of stream: 2 of 6 bytes came");
        co_await e.b.read_exactly(mutable_bytes());
    };
    run(body());
}

TEST_CASE("write_some gives a count; empty writes write nothing and give zero") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        const std::size_t n = co_await e.a.write_some("xyz");
        CHECK(n == 3);
        const std::size_t none = co_await e.a.write_some(bytes());
        CHECK(none == 0);
        const std::size_t all = co_await e.a.write_all(bytes());
        CHECK(all == 0);
        const std::string big = pattern(4U << 20U);
        const std::size_t part = co_await e.a.write_some(big);
        CHECK(part > 0);
        CHECK(part < big.size());  // nobody reads: the socket's buffer is smaller
    };
    run(body());
}

TEST_CASE("a write of 8 MiB arrives whole at a slow reader, over tcp and unix sockets") {
    auto body = [](bool tcp) -> task<> {
        std::optional<ends> e;
        if (tcp) e.emplace(co_await tcp_ends());
        else e.emplace(unix_ends());
        const std::string sent = pattern(8U << 20U);
        auto sends = [&]() -> task<std::size_t> {
            const std::size_t n = co_await e->a.write_all(sent);
            e->a.shutdown();
            co_return n;
        };
        auto reads = [&]() -> task<std::string> {
            std::string all;
            std::string buffer(1000, ' ');
            for (unsigned turn = 0;; ++turn) {
                if (turn % 512 == 0) co_await rondo::sleep_for(100us);
                const std::size_t n = co_await e->b.read_some(buffer);
                if (n == 0) break;
                all.append(buffer, 0, n);
            }
            co_return all;
        };
        auto [n, received] = co_await rondo::when_all(sends(), reads());
        CHECK(n == sent.size());
        CHECK((received == sent));
    };
    run(body(true));
    run(body(false));
}

TEST_CASE("a read and a write may run at the same time; a second read is refused as busy, and harms nothing") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        auto reads = [&]() -> task<std::string> {
            const chunk c = co_await e.a.read();
            co_return std::string(c.text());
        };
        auto first = rondo::spawn(reads(), "first");
        co_await this_job::yield();
        co_await e.a.write_all("out");
        const auto second = co_await rondo::as_result(e.a.read());
        REQUIRE_FALSE(second.has_value());
        CHECK(second.error() == errc::busy);
        CHECK(second.error().text() == "read unix:: already in use by another job");
        std::array<char, 4> some{};
        const auto third = co_await rondo::as_result(e.a.read_some(some));
        CHECK(third.error() == errc::busy);
        co_await e.b.write_all("in");
        const std::string in = co_await first.join();
        CHECK(in == "in");
    };
    run(body());
}

TEST_CASE("two writes at once: the second is refused as busy") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        const std::string big = pattern(4U << 20U);
        auto writes = [&]() -> task<std::size_t> {
            const std::size_t n = co_await e.a.write_all(big);
            co_return n;
        };
        auto first = rondo::spawn(writes(), "first");
        co_await this_job::yield();
        const auto second = co_await rondo::as_result(e.a.write_all("x"));
        CHECK(second.error() == errc::busy);
        std::size_t received = 0;
        while (received < big.size()) {
            const chunk c = co_await e.b.read();
            received += c.size();
        }
        const std::size_t n = co_await first.join();
        CHECK(n == big.size());
    };
    run(body());
}

TEST_CASE("closing a stream ends the read and the write of other jobs as closed") {
    auto body = []() -> task<> {
        ends e = co_await tcp_ends();
        const std::string big = pattern(32U << 20U);
        auto reads = rondo::spawn(error_of(e.a.read()), "reads");
        auto writes = rondo::spawn(error_of(e.a.write_all(big)), "writes");
        co_await rondo::sleep_for(1ms);
        const std::string peer = e.a.peer().to_string();
        e.a.close();
        CHECK_FALSE(e.a.is_open());
        CHECK(e.a.native_handle() == -1);
        const std::string r = co_await reads.join();
        const std::string w = co_await writes.join();
        CHECK(r == "read " + peer + ": closed");
        CHECK(w == "write " + peer + ": closed");
        e.a.close();  // again
    };
    run(body());
}

TEST_CASE("a stream that is destroyed under a read ends the read as closed") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        std::optional<stream> s(std::move(e.a));
        auto reads = rondo::spawn(error_of(s->read()), "reads");
        co_await this_job::yield();
        s.reset();
        const std::string text = co_await reads.join();
        CHECK(text == "read unix:: closed");
        const chunk end = co_await e.b.read();
        CHECK(end.empty());
    };
    run(body());
}

TEST_CASE("after close everything says closed, also on a stream that never was one") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        e.a.close();
        stream none;
        std::array<char, 4> some{};
        for (stream* s : {&e.a, &none}) {
            const auto r = co_await rondo::as_result(s->read());
            CHECK(r.error() == errc::closed);
            const auto rs = co_await rondo::as_result(s->read_some(some));
            CHECK(rs.error() == errc::closed);
            const auto w = co_await rondo::as_result(s->write_some("x"));
            CHECK(w.error() == errc::closed);
            const auto wa = co_await rondo::as_result(s->write_all("x"));
            CHECK(wa.error() == errc::closed);
            CHECK_THROWS_AS(s->shutdown(), rondo::error);
            CHECK_FALSE(static_cast<bool>(*s));
            CHECK_FALSE(static_cast<bool>(s->local()));
            s->no_delay(true);
            s->close();
        }
        CHECK_FALSE(static_cast<bool>(none.peer()));
    };
    run(body());
}

TEST_CASE("a reset by the peer is an error that names the operation and the peer") {
    auto body = []() -> task<> {
        ends e = co_await tcp_ends();
        const std::string peer = e.a.peer().to_string();
        auto reads = rondo::spawn(error_of(e.a.read()), "reads");
        co_await this_job::yield();
        reset(e.b);
        const std::string text = co_await reads.join();
        CHECK(text == "read " + peer + ": Connection reset by peer");
        const auto w = co_await rondo::as_result(e.a.write_all("x"));
        REQUIRE_FALSE(w.has_value());
        CHECK(w.error().code() == std::errc::broken_pipe);
        CHECK(w.error().text() == "write " + peer + ": Broken pipe");
    };
    run(body());
}

TEST_CASE("bytes before a close come before the end of the stream") {
    auto body = []() -> task<> {
        ends e = co_await tcp_ends();
        co_await e.b.write_all("last words");
        e.b.close();
        const std::string all = co_await read_to_end(e.a);
        CHECK(all == "last words");
    };
    run(body());
}

TEST_CASE("a refused connection names the operation and the address") {
    const std::string path = temporary_path("nobody.sock");
    auto body = [&]() -> task<> {
        std::string at;
        {
            listener l("127.0.0.1:0");
            at = l.local().to_string();
        }
        const auto r = co_await rondo::as_result(net::connect(at));
        CHECK(r.error().code() == std::errc::connection_refused);
        CHECK(r.error().text() == "connect " + at + ": Connection refused");
        const std::string missing = co_await error_of(net::connect("unix:" + path));
        CHECK(missing == "connect unix:" + path + ": No such file or directory");
        const auto empty = co_await rondo::as_result(net::connect(endpoint()));
        CHECK(empty.error() == errc::invalid_argument);
    };
    run(body());
}

TEST_CASE("addresses of both ends are known, and moving a stream keeps them") {
    auto body = []() -> task<> {
        ends e = co_await tcp_ends();
        CHECK(e.a.peer() == e.b.local());
        CHECK(e.b.peer() == e.a.local());
        const endpoint peer = e.a.peer();
        stream moved = std::move(e.a);
        CHECK_FALSE(e.a.is_open());
        CHECK(moved.peer() == peer);
        co_await moved.write_all("moved");
        const chunk c = co_await e.b.read();
        CHECK(c.text() == "moved");
        stream other = std::move(e.b);
        other = std::move(moved);  // closes what it was
        const chunk end = co_await other.read();
        CHECK(end.empty());
    };
    run(body());
}

TEST_CASE("a stream may move while a read of it is in flight") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        auto reads = [](stream& s) -> task<std::string> {
            const chunk c = co_await s.read();
            co_return std::string(c.text());
        };
        auto h = rondo::spawn(reads(e.a), "reads");
        co_await this_job::yield();
        stream moved = std::move(e.a);
        co_await e.b.write_all("found");
        const std::string text = co_await h.join();
        CHECK(text == "found");
    };
    run(body());
}

TEST_CASE("a chunk outlives its stream and the run") {
    std::vector<chunk> kept;
    auto body = [&]() -> task<> {
        ends e = unix_ends();
        for (const char* text : {"first", "second"}) {
            co_await e.a.write_all(text);
            kept.push_back(co_await e.b.read());
        }
    };
    run(body());
    REQUIRE(kept.size() == 2);
    CHECK(kept[0].text() == "first");
    CHECK(kept[1].text() == "second");
    chunk moved = std::move(kept[1]);
    kept.clear();
    CHECK(moved.text() == "second");
}

TEST_CASE("more chunks are held than the context has buffers: reads go on") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        std::vector<chunk> held;
        for (int i = 0; i < 500; ++i) {
            const std::string text = std::to_string(i);
            co_await e.a.write_all(text);
            held.push_back(co_await e.b.read());
        }
        for (int i = 0; i < 500; ++i) CHECK(held[static_cast<std::size_t>(i)].text() == std::to_string(i));
        held.clear();
        const std::string big = pattern(300'000);
        auto sends = [&]() -> task<> {
            co_await e.a.write_all(big);
            e.a.shutdown();
        };
        auto [sent, all] = co_await rondo::when_all(sends(), read_to_end(e.b));
        CHECK((all == big));
        (void)sent;
    };
    run(body());
}

TEST_CASE("reads to the end of a stream cost no buffers") {
    auto body = []() -> task<> {
        for (int i = 0; i < 300; ++i) {
            ends e = unix_ends();
            e.a.close();
            const chunk end = co_await e.b.read();
            CHECK(end.empty());
        }
        // All buffers are still there: 64 chunks lie in one block.
        ends e = unix_ends();
        std::vector<chunk> held;
        for (int i = 0; i < 64; ++i) {
            co_await e.a.write_all("x");
            held.push_back(co_await e.b.read());
        }
        const auto before = [](const chunk& x, const chunk& y) { return x.data() < y.data(); };
        const auto [low, high] = std::minmax_element(held.begin(), held.end(), before);
        CHECK(high->data() - low->data() < 64 * 8 * 1024);
    };
    run(body());
}

TEST_CASE("a silent read that found no buffer left still ends when its stream is closed") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        std::vector<chunk> held;
        for (int i = 0; i < 64; ++i) {
            co_await e.a.write_all("x");
            held.push_back(co_await e.b.read());
        }
        for (int yields = 0; yields < 3; ++yields) {
            ends silent = unix_ends();
            auto reads = rondo::spawn(error_of(silent.a.read()), "reads");
            for (int i = 0; i <= yields; ++i) co_await this_job::yield();
            silent.a.close();
            const std::string text = co_await rondo::with_timeout(10s, reads.join());
            CHECK(text == "read unix:: closed");
        }
        ends silent = unix_ends();
        const auto r = co_await rondo::as_result(rondo::with_timeout(1ms, silent.a.read()));
        CHECK(r.error() == errc::timed_out);
        const auto z = co_await rondo::as_result(rondo::with_timeout(0ms, silent.a.read()));
        CHECK(z.error() == errc::timed_out);
    };
    run(body());
}

TEST_CASE("bytes that nobody took come first at the next read, in their order") {
    auto body = []() -> task<> {
        ends e = unix_ends();
        std::array<char, 4> four{};
        auto fails = []() -> task<> {
            throw 1;
            co_return;
        };
        auto fails_later = []() -> task<> {
            co_await rondo::sleep_for(5ms);
            throw 1;
        };
        auto attempt = [&](bool whole, bool at_once) -> task<> {
            try {
                if (whole) (void)co_await rondo::when_all(e.b.read(), fails_later());
                else if (at_once) (void)co_await rondo::when_all(e.b.read_some(four), fails());
                else (void)co_await rondo::when_all(e.b.read_some(four), fails_later());
            } catch (int) {}
        };
        co_await e.a.write_all("abcdefghij");
        co_await attempt(false, false);  // takes abcd from the kernel, gives them back
        co_await attempt(true, false);   // takes abcd, gives them back
        co_await attempt(false, true);
        const std::size_t n = co_await e.b.read_some(mutable_bytes(four.data(), 2));
        CHECK(std::string_view(four.data(), n) == "ab");
        co_await attempt(false, true);  // takes cd
        const chunk cd = co_await e.b.read();
        CHECK(cd.text() == "cd");
        const chunk rest = co_await e.b.read();
        CHECK(rest.text() == "efghij");
        // A part of what was kept is taken and given back: the other part must still be there.
        co_await e.a.write_all("0123456789");
        co_await attempt(true, false);
        co_await attempt(false, true);
        const chunk all = co_await e.b.read();
        CHECK(all.text() == "0123456789");
    };
    run(body());
}

TEST_CASE("shutdown after the peer is gone is an error, not a signal") {
    auto body = []() -> task<> {
        ends e = co_await tcp_ends();
        reset(e.b);
        pollfd p{e.a.native_handle(), POLLHUP, 0};
        ::poll(&p, 1, 1000);
        CHECK_THROWS_AS(e.a.shutdown(), rondo::error);
    };
    run(body());
}

TEST_CASE("a stream that outlives its run closes its socket when it goes") {
    std::optional<ends> kept;
    auto body = [&]() -> task<> {
        kept.emplace(unix_ends());
        co_await kept->a.write_all("left unread");
        const auto r = co_await rondo::as_result(rondo::with_timeout(1ms, kept->a.read()));
        CHECK(r.error() == errc::timed_out);
    };
    run(body());
    kept.reset();
}

TEST_CASE("a hundred connections echo at the same time") {
    auto body = []() -> task<> {
        listener l("127.0.0.1:0");
        auto serve = [&]() -> task<> {
            for (;;) {
                stream s = co_await l.accept();
                rondo::spawn(echo(std::move(s)), "echo").detach();
            }
        };
        auto server = rondo::spawn(serve(), "serve");
        const std::string question = pattern(20'000);
        std::vector<task<std::string>> clients;
        for (int i = 0; i < 100; ++i) clients.push_back(ask(l.local(), question));
        const std::vector<std::string> answers = co_await rondo::when_all(std::move(clients));
        std::size_t right = 0;
        for (const std::string& a : answers) right += a == question ? 1U : 0U;
        CHECK(right == 100);
        server.cancel();
        (void)co_await rondo::as_result(server.join());
    };
    run(body());
}
