// The connections of a client: per host a bounded number of permits, handed out first come first served, and the idle
// connections. A permit is held from before the connect until the connection is closed or idle.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>

#include <rondo/event.hpp>
#include <rondo/http/client_options.hpp>
#include <rondo/net/stream.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0 {
namespace http {
namespace detail {

class client_pool {
public:
    class lease;

    explicit client_pool(const client_options& o) : options_(o) {}

    const client_options& options() const noexcept { return options_; }
    std::size_t idle() const noexcept;
    std::size_t busy() const noexcept;

    /// A permit, after waiting for one if need be, and an idle connection if there is one and it is alive; `fresh` asks
    /// for none. **Cancellation**: also in the turn in which the permit was granted: it goes to the next in line.
    static task<lease> acquire(std::shared_ptr<client_pool> pool, std::string place, bool fresh);

private:
    struct parked {
        net::stream stream;
        std::int64_t until;  // the context's clock
    };
    struct waiter;
    struct host {
        std::list<parked> idle;    // the one parked last at the end
        std::size_t leased = 0;    // permits given out
        std::size_t promised = 0;  // of these, those of waiters that have not run since: they may take an idle one
        std::list<waiter*> queue;
        std::size_t busy() const noexcept { return leased - promised; }
    };
    struct waiter {
        explicit waiter(host& h) : at(&h) { place = h.queue.insert(h.queue.end(), this); }
        waiter(const waiter&) = delete;
        waiter& operator=(const waiter&) = delete;
        ~waiter();

        host* at;
        std::list<waiter*>::iterator place;
        bool granted = false;  // and not yet taken over by a lease
        event wake;
    };

    host& find(const std::string& place);
    static bool is_good(const parked& p) noexcept;
    static void release(host& h) noexcept;
    static net::stream take_idle(host& h);

    client_options options_;
    std::map<std::string, host> hosts_;
};

/// A permit and the connection made with it. Unless it was parked, the connection is closed with the lease.
class client_pool::lease {
public:
    lease(std::shared_ptr<client_pool> pool, host& h) noexcept : pool_(std::move(pool)), host_(&h) {}
    lease(lease&&) noexcept = default;
    lease& operator=(lease&&) = delete;
    ~lease();

    net::stream stream;

    /// Gives the connection back for reuse, for at most `keep`.
    void park(duration keep);

private:
    friend class client_pool;
    std::shared_ptr<client_pool> pool_;
    host* host_;
};

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
