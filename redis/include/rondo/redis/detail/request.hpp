// A command on its way: the leaf its caller waits in, and the slot its reply comes to.
//
// It lives in the caller's frame and is linked into the connection's queues, so that a command in flight costs no
// allocation of the client's own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/wait_list.hpp>
#include <rondo/error.hpp>
#include <rondo/export.hpp>
#include <rondo/redis/value.hpp>

namespace rondo::inline v0 {
namespace redis {
namespace detail {

class connection;
class router;
class request_list;
class reply_queue;

/// Where commands go: a handle's share of the client. Not atomic: one context.
class RONDO_API router_ref {
public:
    router_ref() noexcept = default;
    /// Takes over the first reference.
    explicit router_ref(router* r) noexcept : router_(r) {}
    router_ref(const router_ref& other) noexcept;
    router_ref(router_ref&& other) noexcept : router_(std::exchange(other.router_, nullptr)) {}
    router_ref& operator=(router_ref other) noexcept {
        std::swap(router_, other.router_);
        return *this;
    }
    ~router_ref() {
        if (router_ != nullptr) drop();
    }

    router* get() const noexcept { return router_; }
    explicit operator bool() const noexcept { return router_ != nullptr; }

private:
    void drop() noexcept;

    router* router_ = nullptr;
};

class RONDO_API request : public rondo::detail::list_waiter {
public:
    request(const request&) = delete;
    request& operator=(const request&) = delete;
    virtual ~request();

    /// Queues it; false when it was refused, with the fault set.
    bool begin() noexcept;
    bool failed() const noexcept { return fault_ != nullptr; }

    /// Bytes on the wire.
    virtual std::size_t size() const noexcept = 0;
    /// Appends them.
    virtual void write(std::string& out) const = 0;
    /// Takes the reply to its command number `index`; false, and the value left alone, when the command
    /// cannot have such a reply.
    virtual bool deliver(std::size_t index, value& v) = 0;
    virtual std::string_view name(std::size_t index) const noexcept = 0;

protected:
    request(router_ref r, std::size_t replies, bool blocking) noexcept;
    /// Before it begins.
    request(request&& other) noexcept;

    /// Keeps the first failure of its commands.
    void fail(rondo::fault f);
    const rondo::fault& fault() const noexcept { return *fault_; }
    void check() const {
        if (fault_) fault_->raise();
    }

private:
    friend class connection;
    friend class router;
    friend class request_list;
    friend class reply_queue;
    static void cancelled(leaf& l, rondo::detail::worklist&) noexcept;

    router_ref router_;
    connection* on_ = nullptr;     // whose queue it is linked in
    request* previous_ = nullptr;  // its neighbours there
    request* following_ = nullptr;
    std::size_t bytes_ = 0;  // size(), kept for when the derived class is gone
    std::size_t replies_;    // it waits for so many
    std::size_t received_ = 0;
    std::size_t abandoned_before_ = 0;  // replies owed to requests given up since the one before it
    bool blocking_;
    bool sent_ = false;
    std::unique_ptr<rondo::fault> fault_;
};

}  // namespace detail
}  // namespace redis
}  // namespace rondo::inline v0
