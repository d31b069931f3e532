// What goes wrong in the kernel: every single fault at every point of small scenarios, and many together under seeds.
#include <rondo/testing/faults.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <rondo/cancel_source.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/detail/receive.hpp>
#include <rondo/event.hpp>
#include <rondo/sleep.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "testing/scenario.hpp"

using rondo::errc;
using namespace std::chrono_literals;
namespace net = rondo::net;

namespace {

constexpr unsigned more_follow = 1U << 1U;  // IORING_CQE_F_MORE

/// Receives to the end of the stream with multishot receives, each begun again when it ended.
class drain_operation final : public rondo::detail::receive_operation {
public:
    drain_operation(int fd, std::string& into) noexcept : receive_operation(ops_table), fd_(fd), into_(&into) {
        request.multishot = true;
    }
    bool begin() noexcept {
        start(fd_);
        return true;
    }
    void finish() const {
        if (res < 0) rondo::fault::from_errno(-res, "drain").raise();
    }
    bool failed() const noexcept { return res < 0; }
    result<void> finish_result() const noexcept { return {}; }

private:
    static void completed(rondo::detail::io_operation& op) noexcept {
        auto& self = static_cast<drain_operation&>(op);
        const bool had_bytes = self.res > 0;
        if (had_bytes) {
            const rondo::detail::leased_buffer b = self.take();
            self.into_->append(reinterpret_cast<const char*>(b.data()), b.size());
        }
        if ((self.cqe_flags & more_follow) != 0) return;
        if ((had_bytes || self.res == -ENOBUFS) && self.waiting->reason == rondo::cancel_reason::none) {
            self.start(self.fd_);
            return;
        }
        if (self.res == -ENOBUFS) self.res = -ECANCELED;  // it took nothing
        complete_wait(self);
    }
    static constexpr rondo::detail::io_ops ops_table{{&io_operation::cancel, &io_operation::describe}, &completed};

    int fd_;
    std::string* into_;
};

task<> drain(int fd, std::string& into) { co_await drain_operation(fd, into); }

task<> write_pieces(stream& s, int count) {
    for (int i = 0; i < count; ++i) {
        const std::string piece(1, static_cast<char>('a' + i));
        co_await s.write_all(piece);
        co_await rondo::this_job::yield();
    }
    s.shutdown();
}

task<> drain_all(simulation& m, std::string& got, int pieces) {
    ends e(m);
    auto writing = rondo::spawn(write_pieces(e.b, pieces), "writer");
    co_await drain(e.a.native_handle(), got);
    co_await writing.join();
}

task<> drain_against_cancel(simulation& m, std::string& got, std::string& rest, bool& cancelled) {
    ends e(m);
    auto draining = rondo::spawn(drain(e.a.native_handle(), got), "drain");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, draining), "canceller");
    co_await write_pieces(e.b, 2);
    cancelled = co_await was_cancelled(draining);
    co_await cancelling.join();
    co_await read_to_end(e.a, rest);
}

task<> echo_once(simulation& m, std::string& got) {
    listener l("127.0.0.1:0");
    auto connecting = rondo::spawn(net::connect(l.local()), "connect");
    stream server = co_await l.accept();
    stream client = co_await connecting.join();
    auto writing = rondo::spawn(write_and_end(client, "ping"), "client");
    std::string heard;
    co_await read_to_end(server, heard);
    co_await write_and_end(server, heard);
    co_await writing.join();
    co_await read_to_end(client, got);
    (void)m;
}

task<> idle_read(stream& s, int& ended) {
    std::string got;
    try {
        co_await read_once(s, got);
    } catch (const rondo::cancelled&) {
        ++ended;
        throw;
    }
}

task<> spin_until(const bool& flag) {
    int turns = 0;
    while (!flag) {
        if (++turns == 100'000) throw std::runtime_error("the kernel was never entered");
        co_await rondo::this_job::yield();
    }
}

task<> two_moments(simulation& m, bool& flag) {
    co_await m.moment();
    co_await m.moment();
    flag = true;
}

task<> spin_beside_operations(simulation& m) {
    bool first = false;
    bool second = false;
    co_await rondo::when_all(two_moments(m, first), two_moments(m, second), spin_until(first), spin_until(second));
}

/// As many reads as the queue has no room for, all cancelled by one deadline.
task<> cancel_many(simulation& m, int count, int& ended) {
    std::vector<std::unique_ptr<ends>> pairs;
    std::vector<task<>> reads;
    for (int i = 0; i < count; ++i) {
        pairs.push_back(std::make_unique<ends>(m));
        reads.push_back(idle_read(pairs.back()->a, ended));
    }
    const auto r = co_await rondo::as_result(rondo::with_timeout(1s, rondo::when_all(std::move(reads))));
    if (r.has_value() || r.error().code() != errc::timed_out) throw std::runtime_error("the deadline did not come");
}

/// A connection whose both ends are read with short timeouts again and again while bytes flow.
task<> read_patiently(simulation& m, stream& s, std::string& into) {
    for (;;) {
        const auto r =
            co_await rondo::as_result(rondo::with_timeout(std::chrono::microseconds(1 + m.pick(20)), s.read()));
        if (!r.has_value()) {
            if (r.error().code() != errc::timed_out) r.error().raise();
            continue;
        }
        if (r->empty()) co_return;
        into += r->text();
    }
}

task<> write_hastily(simulation& m, stream& s, std::size_t size) {
    std::string sent;
    for (std::size_t i = 0; i < size; ++i) sent += static_cast<char>('a' + i % 26);
    std::size_t at = 0;
    while (at < size) {
        const std::size_t piece = std::min<std::size_t>(size - at, 1 + m.pick(100));
        at += co_await s.write_some(std::string_view(sent).substr(at, piece));
        if (m.pick(4) == 0) co_await rondo::sleep_for(std::chrono::microseconds(m.pick(30)));
    }
    s.shutdown();
}

task<> storm(simulation& m, std::string& first, std::string& second, std::size_t size) {
    ends e(m);
    co_await rondo::when_all(read_patiently(m, e.a, first), read_patiently(m, e.b, second), write_hastily(m, e.a, size),
                             write_hastily(m, e.b, size));
}

task<> read_until_cancelled(stream& s, rondo::cancel_token token, bool& cancelled) {
    const auto r = co_await rondo::as_result(rondo::with_cancellation(token, s.read()));
    cancelled = !r.has_value() && r.error().code() == errc::cancelled;
}

task<> cancel_from_a_thread(simulation& m, bool& cancelled) {
    ends e(m);
    rondo::cancel_source source;
    std::thread other([&source] { source.cancel(); });
    co_await read_until_cancelled(e.a, source.token(), cancelled);
    other.join();
}

std::string alphabet(std::size_t size) {
    std::string out;
    for (std::size_t i = 0; i < size; ++i) out += static_cast<char>('a' + i % 26);
    return out;
}

}  // namespace

TEST_CASE("a multishot receive that ends is begun again, and no byte is lost") {
    const auto scenario = [](simulation& m) {
        std::string got;
        m.run(drain_all(m, got, 3));
        REQUIRE(got == "abc");
    };
    SECTION("in every order") { REQUIRE(explore(scenario).is_complete()); }
    SECTION("with buffers missing at every point") {
        REQUIRE(explore(explore_options().with(faults().missing_buffers(1).budget(2)), scenario).is_complete());
    }
    SECTION("ended by the kernel at every point") {
        REQUIRE(explore(explore_options().with(faults().ended_multishots(1).budget(2)), scenario).is_complete());
    }
    SECTION("with a completion queue of one entry") {
        REQUIRE(explore(explore_options().with(faults().completion_entries(1)), scenario).is_complete());
    }
    SECTION("under seeds with faults") { for_seeds(seeds, scenario); }
}

TEST_CASE("a multishot receive against a cancel leaves what it did not take") {
    int cancelled = 0;
    everywhere([&](simulation& m) {
        std::string got;
        std::string rest;
        bool ended = false;
        m.run(drain_against_cancel(m, got, rest, ended));
        REQUIRE(got + rest == "ab");
        if (ended) ++cancelled;
    });
    REQUIRE(cancelled > 0);
}

TEST_CASE("an echo goes on whatever single thing fails in the kernel") {
    const auto scenario = [](simulation& m) {
        std::string got;
        m.run(echo_once(m, got));
        REQUIRE(got == "ping");
    };
    const auto one_of = [&](faults f) { REQUIRE(explore(explore_options().with(f), scenario).is_complete()); };
    SECTION("short transfers") { one_of(faults().short_transfers(1)); }
    SECTION("interrupted waits") { one_of(faults().interrupts(1).budget(2)); }
    SECTION("submissions taken in part") { one_of(faults().busy_submissions(1).budget(2)); }
    SECTION("no buffer") { one_of(faults().missing_buffers(1).budget(2)); }
    SECTION("no buffer rings") { one_of(faults().no_buffer_rings(true)); }
    SECTION("a submission queue of one entry") { one_of(faults().queue_entries(1)); }
    SECTION("a completion queue of one entry") { one_of(faults().completion_entries(1)); }
    SECTION("a connection that holds no more than the message") { one_of(faults().socket_buffer(4)); }
    SECTION("all at once under seeds") { for_seeds(seeds, scenario); }
}

TEST_CASE("a job that never waits does not keep completions from the others") {
    const auto scenario = [](simulation& m) { m.run(spin_beside_operations(m)); };
    SECTION("in every order") {
        REQUIRE(explore(explore_options().with(faults().patience(1)), scenario).is_complete());
    }
    SECTION("with a completion queue of one entry") {
        const faults f = faults().patience(1).completion_entries(1);
        REQUIRE(explore(explore_options().with(f), scenario).is_complete());
    }
    SECTION("under seeds with faults") { for_seeds(seeds / 10, scenario); }
}

TEST_CASE("no cancel is lost when the submission queue is full") {
    const auto of = [](int count) {
        return [count](simulation& m) {
            int ended = 0;
            m.run(cancel_many(m, count, ended));
            REQUIRE(ended == count);
        };
    };
    SECTION("three cancels, room for one, in every order") {
        REQUIRE(explore(explore_options().with(faults().queue_entries(1)), of(3)).is_complete());
    }
    SECTION("four cancels, room for two, in every order") {
        REQUIRE(explore(explore_options().with(faults().queue_entries(2)), of(4)).is_complete());
    }
    SECTION("three cancels that come too late, one at a time") {
        REQUIRE(
            explore(explore_options().with(faults().queue_entries(2).late_cancels(1).budget(2)), of(3)).is_complete());
    }
    SECTION("thirty cancels under seeds") { for_seeds(seeds / 10, of(30)); }
    SECTION("three thousand cancels, room for 64") {
        simulation m(1);
        of(3000)(m);
        m.check();
    }
}

TEST_CASE("two streams under timeouts and faults give every byte once, in order") {
    for_seeds(seeds / 10, [](simulation& m) {
        const std::size_t size = 1 + m.pick(2000);
        std::string first;
        std::string second;
        m.run(storm(m, first, second, size));
        REQUIRE(first == alphabet(size));
        REQUIRE(second == alphabet(size));
    });
}

TEST_CASE("a cancel from another thread reaches a job that waits in the kernel") {
    for_seeds(seeds / 50, faults().interrupts(4), [](simulation& m) {
        bool cancelled = false;
        m.run(cancel_from_a_thread(m, cancelled));
        REQUIRE(cancelled);
    });
}
