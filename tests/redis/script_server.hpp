// The server's side of a connection, played byte by byte.
//
//     script_server server;
//     auto [db, peer] = co_await rondo::when_all(redis::connect(server.url()), server.welcome());
//     auto job = rondo::spawn(get(db, "k"));
//     co_await peer.expect(bytes_of(redis::get("k")));
//     co_await peer.send("$1\r\nv\r\n");
#pragma once

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <sys/socket.h>

#include <rondo/net/listener.hpp>
#include <rondo/redis/client.hpp>
#include <rondo/redis/parser.hpp>
#include <rondo/run.hpp>
#include <rondo/task.hpp>
#include <rondo/with_timeout.hpp>

namespace redis_test {

/// What a client says first, and what a server says to it.
inline constexpr std::string_view hello = "*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n";
inline constexpr std::string_view hello_reply = "%2\r\n$6\r\nserver\r\n$5\r\nredis\r\n$5\r\nproto\r\n:3\r\n";

template <class Command>
std::string bytes_of(const Command& c) {
    return std::string(c.encoded().text());
}

/// One accepted connection.
class script_peer {
public:
    explicit script_peer(rondo::net::stream s) : stream_(std::move(s)) {}

    /// Reads these bytes, no more and no less are there to be read next. Throws when others come.
    rondo::task<void> expect(std::string wanted) {
        while (came_.size() < wanted.size()) {
            const bool more = co_await read_more();
            if (!more)
                throw std::runtime_error("wanted " + shown(wanted) + ", but after " + shown(came_) + " came EOF");
        }
        if (!came_.starts_with(wanted)) throw std::runtime_error("wanted " + shown(wanted) + ", got " + shown(came_));
        came_.erase(0, wanted.size());
    }

    /// Reads to the end of the stream; throws when there are bytes before it.
    rondo::task<void> expect_end() {
        while (came_.empty()) {
            bool more = false;
            try {
                more = co_await read_more();
            } catch (const std::system_error&) {  // a reset ends it as well
            }
            if (!more) co_return;
        }
        throw std::runtime_error("wanted the end of the stream, got " + shown(came_));
    }

    /// Reads one command and gives its argument number `index`; empty at the end of the stream.
    rondo::task<std::string> next_argument(std::size_t index) {
        rondo::redis::parser p;
        rondo::redis::value v;
        for (;;) {
            p = rondo::redis::parser();
            p.feed(came_);
            if (p.next(v) == rondo::redis::parser::event::reply) break;
            const bool more = co_await read_more();
            if (!more) co_return "";
        }
        came_.erase(0, p.offset());
        co_return std::string(v.items()[index].text());
    }

    rondo::task<void> send(std::string bytes) { co_await stream_.write_all(bytes); }
    /// In pieces of `size` bytes, each in a write of its own.
    rondo::task<void> send_in_pieces(std::string bytes, std::size_t size) {
        for (std::size_t at = 0; at < bytes.size(); at += size) {
            const std::string piece = bytes.substr(at, size);
            co_await stream_.write_all(piece);
        }
    }

    void close() noexcept { stream_.close(); }
    /// Ends the connection with RST instead of FIN.
    void reset() noexcept {
        const linger none{1, 0};
        ::setsockopt(stream_.native_handle(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
        stream_.close();
    }

private:
    rondo::task<bool> read_more() {
        const rondo::net::chunk c = co_await stream_.read();
        came_ += c.text();
        co_return !c.empty();
    }
    static std::string shown(std::string_view s) { return rondo::redis::quoted(s, 200); }

    rondo::net::stream stream_;
    std::string came_;
};

class script_server {
public:
    script_server() : listener_("127.0.0.1:0") {}

    std::string url(std::string_view rest = "") const { return "redis://" + address() + std::string(rest); }
    std::string address() const { return listener_.local().to_string(); }
    void stop() noexcept { listener_.close(); }

    rondo::task<script_peer> accept() { co_return script_peer(co_await listener_.accept()); }
    /// Accepts, and answers HELLO 3.
    rondo::task<script_peer> welcome() {
        script_peer p(co_await listener_.accept());
        co_await p.expect(std::string(hello));
        co_await p.send(std::string(hello_reply));
        co_return p;
    }

private:
    rondo::net::listener listener_;
};

/// Runs a test's coroutine, and ends it when it hangs.
inline void run_test(rondo::task<void> body) {
    rondo::run([](rondo::task<void> t) -> rondo::task<void> {
        co_await rondo::with_timeout(std::chrono::seconds(60), std::move(t));
    }(std::move(body)));
}

/// The fault that a command ended with; an empty one when it did not.
template <class T>
rondo::fault fault_of(const rondo::result<T>& r) {
    return r ? rondo::fault() : r.error();
}

}  // namespace redis_test
