#include <rondo/http/server.hpp>

#include <list>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/event.hpp>
#include <rondo/net/listener.hpp>
#include <rondo/report.hpp>
#include <rondo/shield.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/with_timeout.hpp>

#include "router.hpp"
#include "server_connection.hpp"

namespace rondo::inline v0 {
namespace http {

namespace {

// After an accept failed for want of descriptors or memory: others may give some back meanwhile.
constexpr duration accept_pause = std::chrono::milliseconds(100);

}  // namespace

struct server::state {
    struct entry {
        entry(net::stream s, detail::serving& shared) : connection(std::move(s), shared) {}
        detail::server_connection connection;
        std::optional<join_handle<void>> job;
    };
    using entries = std::list<entry>;

    state(const net::endpoint& at, const server_options& o)
        : listener(at, net::listener_options().backlog(o.backlog()).reuse_port(o.reuse_port())),
          local(listener.local()) {
        shared.options = o;
    }

    detail::serving shared;
    net::listener listener;
    net::endpoint local;
    entries connections;
    event room;  // fewer connections than allowed, or the listener is closed
    bool serving = false;

    // Coroutines hold the state by its owner, so that the server may be destroyed meanwhile.
    static task<void> serve_one(std::shared_ptr<state> self, entries::iterator at);
    static task<void> accept_all(state& self, std::shared_ptr<state> owner);
    static task<void> drain(state& self);
    static task<void> join_all(state& self);
};

task<void> server::state::serve_one(std::shared_ptr<state> self, entries::iterator at) {
    // Removes the entry when the coroutine ends, however it does.
    struct removal {
        state& s;
        entries::iterator at;
        removal(state& owner, entries::iterator which) : s(owner), at(which) {}
        removal(const removal&) = delete;
        removal& operator=(const removal&) = delete;
        ~removal() {
            s.connections.erase(at);
            s.room.set();
        }
    };
    const removal at_end(*self, at);
    const result<void> r = co_await as_result(at->connection.run());
    if (!r.has_value()) report("http connection: " + r.error().text());
}

task<void> server::state::accept_all(state& self, std::shared_ptr<state> owner) {
    bool open = true;
    std::error_code reported;
    while (open) {
        while (self.connections.size() >= self.shared.options.max_connections() && self.listener.is_open()) {
            self.room.reset();
            co_await self.room.wait();
        }
        result<net::stream> s = co_await as_result(self.listener.accept());
        if (s.has_value()) {
            reported.clear();
            self.connections.emplace_back(*std::move(s), self.shared);
            const auto at = std::prev(self.connections.end());
            at->job.emplace(spawn(serve_one(owner, at), "http connection"));
        } else if (s.error() == v0::errc::closed) open = false;
        else if (s.error().code() != std::errc::connection_aborted) {
            // Once for a time of want: it comes back with every attempt.
            if (s.error().code() != reported) report("http server: " + s.error().text());
            reported = s.error().code();
            co_await sleep_for(accept_pause);
        }
    }
}

/// Waits until no connection is left. A job that was cancelled before it started has not removed its entry.
task<void> server::state::join_all(state& self) {
    while (!self.connections.empty()) {
        const entry* const first = &self.connections.front();
        const result<void> end = co_await as_result(first->job->join());
        if (!end.has_value() && end.error() != v0::errc::cancelled) report("http connection: " + end.error().text());
        if (!self.connections.empty() && &self.connections.front() == first) self.connections.pop_front();
    }
}

task<void> server::state::drain(state& self) {
    self.listener.close();
    self.shared.draining = true;
    for (entry& e : self.connections)
        if (e.connection.is_idle()) e.job->cancel();
    const result<void> r = co_await as_result(with_timeout(self.shared.options.grace(), join_all(self)));
    if (!r.has_value()) {
        for (entry& e : self.connections) e.job->cancel();
        co_await join_all(self);
    }
}

task<void> server::serve(std::shared_ptr<state> s) {
    if (s->serving) throw error(v0::errc::busy, "http::server::serve");
    s->serving = true;
    std::optional<cancelled> unwinding;
    try {
        co_await state::accept_all(*s, s);
    } catch (const cancelled& c) {
        unwinding = c;
    }
    co_await shield(state::drain(*s));
    s->serving = false;
    if (unwinding) throw cancelled(*unwinding);
}

server::server(const net::endpoint& at, const server_options& options) : state_(std::make_shared<state>(at, options)) {}

server::server(server&&) noexcept = default;
server& server::operator=(server&&) noexcept = default;
server::~server() = default;

server& server::add(method m, std::string_view path, std::unique_ptr<detail::route_handler> h) {
    state_->shared.routes.add(m, path, std::move(h));
    return *this;
}

net::endpoint server::local() const { return state_->local; }
std::size_t server::connections() const noexcept { return state_->connections.size(); }
task<void> server::serve() { return serve(state_); }
void server::stop() noexcept {
    state_->listener.close();
    state_->room.set();
}

}  // namespace http
}  // namespace rondo::inline v0
