// Many operations in flight, a ring of few entries, one cancel for all.
#include <sys/resource.h>
#include <cstddef>
#include <string>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/net/stream.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "net/pair.hpp"
#include "support/catch.hpp"

using rondo::errc;
using rondo::run;
using rondo::runtime_options;
using rondo::task;
using rondo::net::chunk;
using namespace std::chrono_literals;

namespace {

/// Raises the soft limit of fds to the hard one while it lives.
class many_fds {
public:
    many_fds() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        rlimit most = before_;
        most.rlim_cur = most.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &most);
        ::getrlimit(RLIMIT_NOFILE, &now_);
    }
    ~many_fds() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    many_fds(const many_fds&) = delete;
    many_fds& operator=(const many_fds&) = delete;

    /// `wanted`, or as many pairs of sockets as the limit allows, saying so.
    std::size_t pairs(std::size_t wanted) const {
        const std::size_t limit = now_.rlim_cur == RLIM_INFINITY ? 1'000'000 : now_.rlim_cur;
        if (limit >= wanted * 2 + 1000) return wanted;
        const std::size_t possible = limit > 1200 ? (limit - 1000) / 2 : 50;
        WARN("only " << limit << " fds are allowed (ulimit -Hn): " << possible << " pairs instead of " << wanted);
        return possible;
    }

private:
    rlimit before_{};
    rlimit now_{};
};

std::vector<ends> silent_pairs(std::size_t count) {
    std::vector<ends> pairs;
    pairs.reserve(count);
    for (std::size_t i = 0; i < count; ++i) pairs.push_back(unix_ends());
    return pairs;
}

}  // namespace

TEST_CASE("3000 reads of silent sockets under one timeout, a ring of 64 entries: all end, nothing is in flight after") {
    const many_fds raised;
    const std::size_t count = raised.pairs(3000);
    auto body = [&]() -> task<> {
        std::vector<ends> pairs = silent_pairs(count);
        std::size_t ended = 0;
        auto reads = [&](ends& e) -> task<> {
            try {
                (void)co_await e.a.read();
            } catch (const rondo::cancelled& c) {
                if (c.reason() == rondo::cancel_reason::deadline) ++ended;
                throw;
            }
        };
        std::vector<task<>> all;
        for (ends& e : pairs) all.push_back(reads(e));
        const auto r = co_await rondo::as_result(rondo::with_timeout(200ms, rondo::when_all(std::move(all))));
        REQUIRE_FALSE(r.has_value());
        CHECK(r.error() == errc::timed_out);
        CHECK(ended == count);
        // The streams work on, so nothing of the cancelled reads is left in the kernel.
        std::size_t right = 0;
        for (ends& e : pairs) {
            co_await e.b.write_all("ok");
            const chunk c = co_await e.a.read();
            if (c.text() == "ok") ++right;
        }
        CHECK(right == count);
    };
    run(runtime_options().ring_entries(64), body());
}

TEST_CASE("3000 reads with a timeout each, all at the same instant") {
    const many_fds raised;
    const std::size_t count = raised.pairs(3000);
    auto body = [&]() -> task<> {
        std::vector<ends> pairs = silent_pairs(count);
        std::size_t timed_out = 0;
        const auto deadline = rondo::clock::now() + 100ms;
        auto reads = [&](ends& e) -> task<> {
            const auto r = co_await rondo::as_result(rondo::with_deadline(deadline, e.a.read()));
            if (!r && r.error() == errc::timed_out) ++timed_out;
        };
        std::vector<task<>> all;
        for (ends& e : pairs) all.push_back(reads(e));
        co_await rondo::when_all(std::move(all));
        CHECK(timed_out == count);
    };
    run(runtime_options().ring_entries(64), body());
}

TEST_CASE("3000 reads, half of them answered while all are cancelled: every byte is read in the end") {
    const many_fds raised;
    const std::size_t count = raised.pairs(3000);
    auto body = [&]() -> task<> {
        std::vector<ends> pairs = silent_pairs(count);
        std::size_t received = 0;
        auto reads = [&](ends& e) -> task<> {
            const chunk c = co_await e.a.read();
            received += c.size();
        };
        std::vector<task<>> all;
        for (ends& e : pairs) all.push_back(reads(e));
        auto every = [&]() -> task<> { co_await rondo::when_all(std::move(all)); };
        auto h = rondo::spawn(every(), "every");
        co_await rondo::sleep_for(1ms);
        std::size_t sent = 0;
        for (std::size_t i = 0; i < count; i += 2) {
            co_await pairs[i].b.write_all("x");
            ++sent;
            if (i == count / 2 / 2 * 2) h.cancel();
        }
        (void)co_await rondo::as_result(h.join());
        CHECK(received <= sent);
        for (ends& e : pairs) {
            e.b.close();
            for (;;) {
                const chunk c = co_await e.a.read();
                if (c.empty()) break;
                received += c.size();
            }
        }
        CHECK(received == sent);
    };
    run(runtime_options().ring_entries(64), body());
}

TEST_CASE("3000 streams closed under their reads end them as closed") {
    const many_fds raised;
    const std::size_t count = raised.pairs(3000);
    auto body = [&]() -> task<> {
        std::vector<ends> pairs = silent_pairs(count);
        std::size_t closed = 0;
        auto reads = [&](ends& e) -> task<> {
            const auto r = co_await rondo::as_result(e.a.read());
            if (!r && r.error() == errc::closed) ++closed;
        };
        std::vector<task<>> all;
        for (ends& e : pairs) all.push_back(reads(e));
        auto every = [&]() -> task<> { co_await rondo::when_all(std::move(all)); };
        auto h = rondo::spawn(every(), "every");
        co_await rondo::sleep_for(1ms);
        for (ends& e : pairs) e.a.close();
        co_await h.join();
        CHECK(closed == count);
    };
    run(runtime_options().ring_entries(64), body());
}
