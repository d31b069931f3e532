#include <rondo/http/client.hpp>

#include <charconv>
#include <optional>

#include <rondo/as_result.hpp>
#include <rondo/error.hpp>
#include <rondo/http/error.hpp>
#include <rondo/net/endpoint.hpp>

#include "client_pool.hpp"
#include "exchange.hpp"
#include "grammar.hpp"

namespace rondo::inline v0 {
namespace http {

namespace {

// A server that closes after n seconds may do so while a request is on its way: stop a little before.
constexpr duration close_margin = std::chrono::seconds(1);

/// How long the connection may stay idle: as long as we like, or as the server's `Keep-Alive: timeout=n` says.
duration idle_time(const response& r, duration ours) {
    std::string_view rest = r.header("keep-alive").value_or("");
    bool more = true;
    while (more) {
        const std::string_view member = detail::next_member(rest, more);
        const std::size_t equals = member.find('=');
        if (equals == std::string_view::npos || !detail::same(detail::trim(member.substr(0, equals)), "timeout"))
            continue;
        const std::string_view digits = detail::trim(member.substr(equals + 1));
        unsigned seconds = 0;
        if (digits.size() > 9 || !detail::all(detail::chars::digit, digits)) continue;
        std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
        return std::min<duration>(ours, std::chrono::seconds(seconds) - close_margin);
    }
    return ours;
}

/// Only what changes nothing on the server may be sent again, and only if the server cannot have answered.
bool may_repeat(const request& r, bool reused, const detail::exchange& x) noexcept {
    return (r.method() == method::get || r.method() == method::head) && reused && !x.answered();
}

/// The failure of a request, named by the request.
[[noreturn]] void fail(const fault& f, const std::string& name, outcome o) {
    if (f.foreign()) f.raise();
    std::string doing = name;
    if (!f.operation().empty()) doing += ": " + f.operation();
    fault named(f.code(), std::move(doing));
    named.peer(f.peer()).detail(f.detail());
    named.outcome(o);
    throw error(std::move(named));
}

}  // namespace

client::client(const client_options& options) : pool_(std::make_shared<detail::client_pool>(options)) {}

task<response> client::get(url from) { return send(pool_, std::move(from), request(method::get)); }

task<response> client::post(url to, std::string body) {
    return send(pool_, std::move(to), request(method::post).body(std::move(body)));
}

task<response> client::send(url to, request r) { return send(pool_, std::move(to), std::move(r)); }

std::size_t client::idle_connections() const noexcept { return pool_->idle(); }
std::size_t client::connections() const noexcept { return pool_->idle() + pool_->busy(); }

task<response> client::send(std::shared_ptr<detail::client_pool> shared, url to, request r) {
    const std::shared_ptr<detail::client_pool> pool = std::move(shared);  // a parameter would live as long as the task
    r.target(to.target());
    const std::string name = std::string(to_string(r.method())) + " " + to.to_string();
    const std::string authority = to.authority();
    bool repeated = false;
    for (;;) {
        detail::client_pool::lease l = co_await detail::client_pool::acquire(pool, to.endpoint(), repeated);
        const bool reused = l.stream.is_open();
        if (!reused) {
            result<net::stream> s = co_await as_result(net::connect(net::endpoint(to.endpoint())));
            if (!s.has_value()) fail(s.error(), name, outcome::not_sent);
            l.stream = *std::move(s);
        }

        detail::exchange x(l.stream, pool->options(), r, authority);
        const result<void> done = co_await as_result(x.run());
        if (done.has_value()) {
            const duration keep = idle_time(x.response(), pool->options().idle_timeout());
            if (x.is_clean() && keep > duration::zero()) l.park(keep);
            co_return std::move(x.response());
        }
        if (!may_repeat(r, reused, x)) fail(done.error(), name, outcome::maybe_executed);
        repeated = true;
    }
}

}  // namespace http
}  // namespace rondo::inline v0
