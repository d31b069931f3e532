// The other end of a connection, byte by byte: what the tests of server and client talk to.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <rondo/as_result.hpp>
#include <rondo/http/server.hpp>
#include <rondo/net/listener.hpp>
#include <rondo/net/stream.hpp>
#include <rondo/race.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/task.hpp>

#include "support/catch.hpp"

namespace peers {

// No test waits for it: it only turns a hang into a failure that shows who waits for what.
inline rondo::task<void> watchdog() {
    co_await rondo::sleep_for(std::chrono::seconds(60));
    throw std::runtime_error("the test hangs\n" + rondo::dump_jobs());
}

/// Waits until the other jobs made it so.
template <class F>
rondo::task<void> until(const F& f) {
    while (!f()) co_await rondo::sleep_for(std::chrono::milliseconds(1));
}

/// One end of a connection that reads and writes whole messages.
class peer {
public:
    explicit peer(rondo::net::stream s) : stream(std::move(s)) {}
    static rondo::task<peer> connect(rondo::net::endpoint to) {
        rondo::net::stream s = co_await rondo::net::connect(to);
        co_return peer(std::move(s));
    }
    static rondo::task<peer> accept(rondo::net::listener& from) {
        rondo::net::stream s = co_await from.accept();
        co_return peer(std::move(s));
    }

    rondo::task<void> send(std::string raw) { co_await stream.write_all(raw); }

    /// The next message: a head, and as many bytes after it as its Content-Length says. Shorter at the end of the
    /// stream.
    rondo::task<std::string> message(bool has_body = true) {
        std::size_t size = std::string::npos;
        bool more = true;
        while (more) {
            const std::size_t end = buffer.find("\r\n\r\n");
            if (end != std::string::npos) size = end + 4 + (has_body ? length(buffer.substr(0, end)) : 0);
            more = size == std::string::npos || buffer.size() < size;
            if (more) more = co_await fill();
        }
        std::string m = buffer.substr(0, size);
        buffer.erase(0, m.size());
        co_return m;
    }
    /// Everything up to the end of the stream; a reset counts as one.
    rondo::task<std::string> rest() {
        bool more = true;
        while (more) more = co_await fill();
        co_return std::exchange(buffer, {});
    }
    /// What the next read gives; empty at the end.
    rondo::task<std::string> piece() {
        if (buffer.empty()) co_await fill();
        co_return std::exchange(buffer, {});
    }

    rondo::net::stream stream;
    std::string buffer;

private:
    rondo::task<bool> fill() {
        const rondo::result<rondo::net::chunk> c = co_await rondo::as_result(stream.read());
        if (c.has_value()) buffer += c->text();
        co_return c.has_value() && !c->empty();
    }
    static std::size_t length(std::string_view head) {
        const std::size_t at = head.find("\r\nContent-Length: ");
        return at == std::string_view::npos ? 0 : std::stoul(std::string(head.substr(at + 18)));
    }
};

inline int status_of(std::string_view message) {
    return message.size() > 12 ? std::stoi(std::string(message.substr(9, 3))) : 0;
}
inline std::string body_of(std::string_view message) {
    const std::size_t end = message.find("\r\n\r\n");
    return end == std::string_view::npos ? std::string() : std::string(message.substr(end + 4));
}
inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

inline std::string get(std::string_view path) { return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n"; }

inline rondo::task<void> serve_while(rondo::http::server& s, rondo::task<void> body) {
    auto serving = rondo::spawn(s.serve(), "server under test");
    const auto r = co_await rondo::as_result(rondo::race(std::move(body), watchdog()));
    s.stop();
    co_await serving.join();
    CHECK(s.connections() == 0);
    if (!r.has_value()) r.error().raise();
}

/// Runs `body`, a callable that gives a task, while the server serves; then stops it.
template <class F>
void with(rondo::http::server& s, const F& body) {
    rondo::run(serve_while(s, body()));
}

/// Runs `body` under the watchdog.
template <class F>
void run(const F& body) {
    const auto guarded = [&]() -> rondo::task<void> { co_await rondo::race(body(), watchdog()); };
    rondo::run(guarded());
}

}  // namespace peers
