// The simulated machine itself: that it bites, that a run can be seen again, and what it is made of.
#include <rondo/testing/simulation.hpp>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include <rondo/detail/io_operation.hpp>
#include <rondo/report.hpp>
#include <rondo/sleep.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "testing/scenario.hpp"

using rondo::errc;
using namespace std::chrono_literals;
namespace net = rondo::net;

namespace {

std::string reported;

/// Keeps what is reported instead of printing it.
class capture {
public:
    capture() : former_(rondo::on_report([](std::string_view text) { reported = text; })) { reported.clear(); }
    capture(const capture&) = delete;
    capture& operator=(const capture&) = delete;
    ~capture() { rondo::on_report(former_); }

private:
    rondo::report_handler former_;
};

/// Sets a variable of the environment for a while.
class variable {
public:
    variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
    variable(const variable&) = delete;
    variable& operator=(const variable&) = delete;
    ~variable() { ::unsetenv(name_); }

private:
    const char* name_;
};

class file_operation final : public rondo::detail::io_operation {
public:
    file_operation(rondo::detail::io_code code, int fd, char* at, std::size_t size, std::size_t offset) noexcept
        : io_operation(rondo::detail::io_request()) {
        request.code = code;
        request.fd = fd;
        request.address = at;
        request.length = static_cast<std::uint32_t>(size);
        request.offset = offset;
    }
    int finish() const noexcept { return res; }
    bool failed() const noexcept { return res < 0; }
    result<int> finish_result() const noexcept { return res; }
};

task<> copy_file(int from, int to, std::size_t size) {
    char buffer[4];
    std::size_t at = 0;
    while (at < size) {
        const int n = co_await file_operation(rondo::detail::io_code::read, from, buffer, sizeof buffer, at);
        if (n <= 0) throw std::runtime_error("read");
        int written = 0;
        while (written < n) {
            const auto left = static_cast<std::size_t>(n - written);
            const int w = co_await file_operation(rondo::detail::io_code::write, to, buffer + written, left,
                                                  at + static_cast<std::size_t>(written));
            if (w <= 0) throw std::runtime_error("write");
            written += w;
        }
        at += static_cast<std::size_t>(n);
    }
}

task<> write_file(int fd, bool& done) {
    char text[] = "text";
    co_await file_operation(rondo::detail::io_code::write, fd, text, 4, 0);
    done = true;
}

task<> write_file_against_cancel(simulation& m, int fd, bool& done) {
    auto writing = rondo::spawn(write_file(fd, done), "writer");
    auto cancelling = rondo::spawn(cancel_at_some_moment(m, writing), "canceller");
    co_await was_cancelled(writing);
    co_await cancelling.join();
}

task<> note_after(simulation& m, std::string& order, char name) {
    co_await m.moment();
    order += name;
}

task<> four_moments(simulation& m, std::string& order) {
    co_await rondo::when_all(note_after(m, order, 'a'), note_after(m, order, 'b'), note_after(m, order, 'c'),
                             note_after(m, order, 'd'));
}

task<> sleep_an_hour() { co_await rondo::sleep_for(1h); }

task<> read_one(stream& s) { co_await s.read(); }

task<> leak_a_descriptor(simulation& m) {
    m.connected();
    co_return;
}

task<> close_under_a_read(simulation& m) {
    ends e(m);
    auto reading = rondo::spawn(read_one(e.a), "reader");
    co_await rondo::sleep_for(1s);
    m.close(e.a.native_handle());
    e.b.shutdown();
    reading.cancel();
    co_await was_cancelled(reading);
}

task<> wait_for_ever(simulation& m) {
    ends e(m);
    co_await e.a.read();
}

task<> expect_refusal(const char* to, std::errc why) {
    const auto r = co_await rondo::as_result(net::connect(to));
    if (r.has_value() || r.error().code() != why) throw std::runtime_error("was not refused as expected");
}

task<> refusals() {
    co_await expect_refusal("127.0.0.1:1", std::errc::connection_refused);
    co_await expect_refusal("unix:/nobody", std::errc::no_such_file_or_directory);
    {
        const listener l("unix:/somebody");
        const stream s = co_await net::connect("unix:/somebody");
        try {
            const listener again("unix:/somebody");
            throw std::runtime_error("listened twice");
        } catch (const rondo::error& e) {
            if (e.code() != std::errc::address_in_use) throw;
        }
    }
    co_await expect_refusal("unix:/somebody", std::errc::no_such_file_or_directory);
}

task<> read_after_unread_close(simulation& m, std::error_code& why) {
    ends e(m);
    co_await e.b.write_all("unread");
    e.a.close();
    const auto r = co_await rondo::as_result(e.b.read());
    if (!r.has_value()) why = r.error().code();
}

}  // namespace

TEST_CASE("exploring four completions sees each of their orders") {
    std::string seen;
    const auto e = explore([&](simulation& m) {
        std::string order;
        m.run(four_moments(m, order));
        if (seen.find(order) == seen.npos) seen += order + ' ';
    });
    REQUIRE(e.is_complete());
    REQUIRE(seen.size() == 24 * 5);
    REQUIRE(e.runs() >= 24);
}

TEST_CASE("a failed run is reported with how to see it again, and is the same then") {
    const capture quiet;
    const auto scenario = [](simulation& m) {
        std::string order;
        m.run(four_moments(m, order));
        if (order == "cadb") throw std::runtime_error(order);
    };
    std::string name;
    SECTION("by its path") {
        name = "RONDO_PATH";
        REQUIRE_THROWS_WITH(explore(scenario), "cadb");
    }
    SECTION("by its seed") {
        name = "RONDO_SEED";
        REQUIRE_THROWS_WITH(for_seeds(1000, scenario), "cadb");
    }
    const std::size_t at = reported.find(name + "=");
    REQUIRE(at != reported.npos);
    const variable replayed(name.c_str(), reported.substr(at + name.size() + 1));
    if (name == "RONDO_PATH") REQUIRE_THROWS_WITH(explore(scenario), "cadb");
    else REQUIRE_THROWS_WITH(for_seeds(1, scenario), "cadb");
}

TEST_CASE("an exploration says when its limit came first") {
    const auto e = explore(explore_options().limit(3), [](simulation& m) {
        std::string order;
        m.run(four_moments(m, order));
    });
    REQUIRE(e.runs() == 3);
    REQUIRE_FALSE(e.is_complete());
}

TEST_CASE("a scenario that is not deterministic is found out") {
    const capture quiet;
    unsigned runs = 0;
    REQUIRE_THROWS_WITH(explore([&](simulation& m) { m.pick(++runs == 1 ? 2 : 3); }),
                        Catch::Matchers::Contains("not deterministic"));
}

TEST_CASE("an open descriptor is found") {
    simulation m(1);
    m.run(leak_a_descriptor(m));
    REQUIRE_THROWS_WITH(m.check(), Catch::Matchers::Contains("2 descriptors are open"));
}

TEST_CASE("a close under an operation in flight is found") {
    simulation m(1);
    m.run(close_under_a_read(m));
    REQUIRE_THROWS_WITH(m.check(), Catch::Matchers::Contains("closed with an operation in flight"));
}

TEST_CASE("a wait that nothing can end is a proven deadlock, at once") {
    simulation m(1);
    REQUIRE_THROWS_WITH(m.run(wait_for_ever(m)), Catch::Matchers::Contains("receive on fd"));
    m.check();
}

TEST_CASE("an hour of simulated time is over at once, and exactly") {
    simulation m(1);
    const auto start = m.clock().now();
    m.run(sleep_an_hour());
    REQUIRE(m.clock().now() - start == 1h);
}

TEST_CASE("connects are refused as the kernel does") {
    everywhere([](simulation& m) { m.run(refusals()); });
}

TEST_CASE("closing with bytes unread resets the connection") {
    simulation m(1);
    std::error_code why;
    m.run(read_after_unread_close(m, why));
    REQUIRE(why == std::errc::connection_reset);
}

TEST_CASE("files are read and written, by parts too") {
    everywhere([](simulation& m) {
        const int from = m.open_file("0123456789");
        const int to = m.open_file("");
        m.run(copy_file(from, to, 10));
        REQUIRE(m.contents(to) == "0123456789");
        m.close(from);
        m.close(to);
    });
}

TEST_CASE("an operation that had its effect gives its result, wherever the cancel came") {
    int cancelled = 0;
    everywhere([&](simulation& m) {
        const int fd = m.open_file("");
        bool done = false;
        m.run(write_file_against_cancel(m, fd, done));
        REQUIRE(done == !m.contents(fd).empty());
        m.close(fd);
        if (!done) ++cancelled;
    });
    REQUIRE(cancelled > 0);
}
