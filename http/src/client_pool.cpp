#include "client_pool.hpp"

#include <sys/socket.h>
#include <cerrno>
#include <numeric>

#include <rondo/detail/timer.hpp>

namespace rondo::inline v0 {
namespace http {
namespace detail {

namespace {

// Whether a connection on which nothing is owed is still good: it has nothing to read, neither an end nor bytes that
// nobody asked for. One system call, without going through the ring.
bool is_quiet(const net::stream& s) noexcept {
    char byte = 0;
    const auto n = ::recv(s.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n < 0 && errno == EAGAIN;
}

}  // namespace

bool client_pool::is_good(const parked& p) noexcept { return v0::detail::clock_now() < p.until && is_quiet(p.stream); }

std::size_t client_pool::idle() const noexcept {
    return std::accumulate(hosts_.begin(), hosts_.end(), std::size_t{0},
                           [](std::size_t n, const auto& h) { return n + h.second.idle.size(); });
}

std::size_t client_pool::busy() const noexcept {
    return std::accumulate(hosts_.begin(), hosts_.end(), std::size_t{0},
                           [](std::size_t n, const auto& h) { return n + h.second.busy(); });
}

client_pool::waiter::~waiter() {
    if (granted) {
        --at->promised;
        release(*at);
    } else if (place != at->queue.end()) {
        at->queue.erase(place);
    }
}

/// The host of that name; a new one takes the place of those that nobody uses any more.
client_pool::host& client_pool::find(const std::string& place) {
    const auto known = hosts_.find(place);
    if (known != hosts_.end()) return known->second;
    for (auto it = hosts_.begin(); it != hosts_.end();) {
        std::erase_if(it->second.idle, [](const parked& p) { return !is_good(p); });
        const bool unused = it->second.idle.empty() && it->second.leased == 0;
        it = unused ? hosts_.erase(it) : std::next(it);
    }
    return hosts_[place];
}

/// Passes the permit on, or takes it back.
void client_pool::release(host& h) noexcept {
    if (h.queue.empty()) {
        --h.leased;
        return;
    }
    waiter& next = *h.queue.front();
    h.queue.pop_front();
    next.place = h.queue.end();
    next.granted = true;
    ++h.promised;
    next.wake.set();
}

/// The idle connection used last that is still good; closes those that are not.
net::stream client_pool::take_idle(host& h) {
    while (!h.idle.empty()) {
        parked last = std::move(h.idle.back());
        h.idle.pop_back();
        if (is_good(last)) return std::move(last.stream);
    }
    return {};
}

task<client_pool::lease> client_pool::acquire(std::shared_ptr<client_pool> pool, std::string place, bool fresh) {
    host& h = pool->find(place);
    if (h.leased < pool->options_.max_per_host()) {
        ++h.leased;
    } else {
        waiter w(h);
        co_await w.wake.wait();
        w.granted = false;
        --h.promised;
    }
    lease l(pool, h);
    if (!fresh) l.stream = take_idle(h);
    // A new connection may be one too many together with the idle ones.
    if (!l.stream.is_open() && !h.idle.empty() && h.idle.size() + h.busy() > pool->options_.max_per_host())
        h.idle.pop_front();
    co_return l;
}

client_pool::lease::~lease() {
    if (!pool_) return;
    stream.close();
    release(*host_);
}

void client_pool::lease::park(duration keep) {
    const std::int64_t until = v0::detail::add_saturated(v0::detail::clock_now(), keep.count());
    host_->idle.push_back({std::move(stream), until});
    release(*host_);
    pool_.reset();
}

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
