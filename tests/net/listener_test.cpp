#include <rondo/net/listener.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <optional>
#include <string>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/event.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::run;
using rondo::task;
using rondo::net::chunk;
using rondo::net::endpoint;
using rondo::net::listener;
using rondo::net::listener_options;
using rondo::net::stream;
namespace net = rondo::net;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

std::string temporary_path(const char* name) { return "/tmp/rondo-" + std::to_string(::getpid()) + "-" + name; }

std::string refusal(const std::string& at, const listener_options& options = listener_options()) {
    try {
        const listener l(at, options);
        return "no error";
    } catch (const rondo::error& e) {
        return e.what();
    }
}

/// A socket's path whose socket is gone, as a crashed process leaves it.
void leave_stale(const std::string& path) {
    const endpoint at("unix:" + path);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(::bind(fd, at.address(), at.size()) == 0);
    ::close(fd);
    REQUIRE(::access(path.c_str(), F_OK) == 0);
}

/// Connects and asks for nothing, without rondo.
int plain_connect(const endpoint& at) {
    const int fd = ::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(fd, at.address(), at.size()) == 0) return fd;
    ::close(fd);
    return -1;
}

}  // namespace

TEST_CASE("a listener tells the port that the kernel chose, and binds at once") {
    const listener l("127.0.0.1:0");
    CHECK(l.is_open());
    CHECK(l.local().port() != 0);
    const int fd = plain_connect(l.local());
    CHECK(fd >= 0);
    ::close(fd);
}

TEST_CASE("an address in use is refused, with the operation and the address") {
    const listener l("127.0.0.1:0");
    const std::string at = l.local().to_string();
    CHECK(refusal(at) == "listen " + at + ": Address already in use");
    CHECK(refusal("203.0.113.7:80") == "listen 203.0.113.7:80: Cannot assign requested address");
    CHECK(refusal("unix:/nowhere/at/all") == "listen unix:/nowhere/at/all: No such file or directory");
    CHECK_THROWS_AS(listener(endpoint()), rondo::error);
}

TEST_CASE("with reuse_port several listeners share a port") {
    const listener a("127.0.0.1:0", listener_options().reuse_port(true));
    const listener b(a.local(), listener_options().reuse_port(true));
    CHECK(a.local() == b.local());
    CHECK_FALSE(refusal(a.local().to_string()) == "no error");
}

TEST_CASE("the path of a unix socket is removed with its listener, once") {
    const std::string path = temporary_path("gone.sock");
    {
        listener l("unix:" + path);
        CHECK(::access(path.c_str(), F_OK) == 0);
        listener moved = std::move(l);
        CHECK_FALSE(l.is_open());
        CHECK(::access(path.c_str(), F_OK) == 0);
        moved.close();
        CHECK(::access(path.c_str(), F_OK) != 0);
        const int fd = ::open(path.c_str(), O_CREAT | O_CLOEXEC | O_WRONLY, 0600);
        ::close(fd);
    }
    CHECK(::access(path.c_str(), F_OK) == 0);  // what somebody else made there meanwhile stays
    ::unlink(path.c_str());
}

TEST_CASE("a stale path is replaced; one that is served, or no socket, is not") {
    const std::string path = temporary_path("stale.sock");
    leave_stale(path);
    {
        const listener l("unix:" + path);
        const int fd = plain_connect(l.local());
        CHECK(fd >= 0);
        ::close(fd);
        CHECK(refusal("unix:" + path) == "listen unix:" + path + ": Address already in use");
        CHECK(::access(path.c_str(), F_OK) == 0);
    }
    const int file = ::open(path.c_str(), O_CREAT | O_CLOEXEC | O_WRONLY, 0600);
    ::close(file);
    CHECK(refusal("unix:" + path) == "listen unix:" + path + ": Address already in use");
    CHECK(::access(path.c_str(), F_OK) == 0);
    ::unlink(path.c_str());
}

TEST_CASE("accept gives connections in the order of their coming") {
    auto body = []() -> task<> {
        listener l("127.0.0.1:0");
        std::vector<stream> clients;
        for (int i = 0; i < 10; ++i) clients.push_back(co_await net::connect(l.local()));
        for (const stream& c : clients) {
            const stream s = co_await l.accept();
            CHECK(s.peer() == c.local());
            CHECK(s.local() == c.peer());
        }
    };
    run(body());
}

TEST_CASE("two accepts at once: the second is refused as busy") {
    auto body = []() -> task<> {
        listener l("127.0.0.1:0");
        auto accepts = [&]() -> task<> { (void)co_await l.accept(); };
        auto first = rondo::spawn(accepts(), "first");
        co_await this_job::yield();
        const auto second = co_await rondo::as_result(l.accept());
        REQUIRE_FALSE(second.has_value());
        CHECK(second.error() == errc::busy);
        CHECK(second.error().text().find(l.local().to_string()) != std::string::npos);  // the kernel's port
        const stream c = co_await net::connect(l.local());
        co_await first.join();
    };
    run(body());
}

TEST_CASE("closing a listener ends an accept in flight as closed, and later ones") {
    auto body = []() -> task<> {
        listener l("127.0.0.1:0");
        const std::string at = l.local().to_string();
        auto accepts = [&]() -> task<std::string> {
            const auto r = co_await rondo::as_result(l.accept());
            co_return r.has_value() ? "a connection" : r.error().text();
        };
        auto h = rondo::spawn(accepts(), "accepts");
        co_await rondo::sleep_for(1ms);
        l.close();
        const std::string text = co_await h.join();
        CHECK(text.find(": closed") != text.npos);
        CHECK(text.find("accept ") == 0);
        const auto later = co_await rondo::as_result(l.accept());
        CHECK(later.error() == errc::closed);
        const auto refused = co_await rondo::as_result(net::connect(at));
        CHECK(refused.error().code() == std::errc::connection_refused);
    };
    run(body());
}

TEST_CASE("a listener replaced by assignment closes the one it was") {
    auto body = []() -> task<> {
        listener l("127.0.0.1:0");
        const endpoint before = l.local();
        l = listener("127.0.0.1:0");
        CHECK_FALSE(l.local() == before);
        const auto refused = co_await rondo::as_result(net::connect(before));
        CHECK(refused.error().code() == std::errc::connection_refused);
        auto [c, s] = co_await rondo::when_all(net::connect(l.local()), l.accept());
        CHECK((c.is_open() && s.is_open()));
    };
    run(body());
}

TEST_CASE("a connection kept for the next accept is closed with its listener") {
    auto body = []() -> task<> {
        // A when_all whose other child fails after the accept has its connection drops that connection to the listener.
        listener l("127.0.0.1:0");
        auto fails = [&]() -> task<> {
            co_await rondo::sleep_for(20ms);
            throw 1;
        };
        const stream c = co_await net::connect(l.local());
        bool thrown = false;
        try {
            (void)co_await rondo::when_all(l.accept(), fails());
        } catch (int) {
            thrown = true;
        }
        CHECK(thrown);
        {
            const stream again = co_await l.accept();
            CHECK(again.peer() == c.local());
        }
        stream d = co_await net::connect(l.local());
        thrown = false;
        try {
            (void)co_await rondo::when_all(l.accept(), fails());
        } catch (int) {
            thrown = true;
        }
        CHECK(thrown);
        l.close();
        const auto end = co_await rondo::as_result(rondo::with_timeout(5s, d.read()));
        CHECK_FALSE((!end && end.error() == errc::timed_out));
    };
    run(body());
}

TEST_CASE("a connect that waits for a full backlog times out") {
    const std::string path = temporary_path("full.sock");
    auto body = [&]() -> task<> {
        const listener l("unix:" + path, listener_options().backlog(0));
        std::vector<int> waiting;
        for (int i = 0; i < 100; ++i) {
            const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            const bool full = ::connect(fd, l.local().address(), l.local().size()) != 0;
            waiting.push_back(fd);
            if (full) break;
        }
        const auto r = co_await rondo::as_result(rondo::with_timeout(20ms, net::connect(l.local())));
        REQUIRE_FALSE(r.has_value());
        INFO(r.error().text());
        CHECK(r.error() == errc::timed_out);
        for (const int fd : waiting) ::close(fd);
    };
    run(body());
}
