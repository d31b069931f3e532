#include <rondo/redis/detail/request.hpp>

#include <utility>

#include "router.hpp"

namespace rondo::inline v0 {
namespace redis {
namespace detail {

router_ref::router_ref(const router_ref& other) noexcept : router_(other.router_) {
    if (router_ != nullptr) router_->add_ref();
}

void router_ref::drop() noexcept {
    if (router_->drop_ref()) delete router_;
}

request::request(router_ref r, std::size_t replies, bool blocking) noexcept
    : list_waiter("a redis reply"), router_(std::move(r)), replies_(replies), blocking_(blocking) {
    // It is described like any waiter, but leaves queues of its own when it is cancelled.
    static const rondo::detail::leaf_ops table{&request::cancelled, ops->describe};
    ops = &table;
}

request::request(request&& other) noexcept : request(std::move(other.router_), other.replies_, other.blocking_) {}

request::~request() {
    if (on_ != nullptr) on_->abandon(*this);
}

bool request::begin() noexcept {
    try {
        if (!router_) throw rondo::error(rondo::errc::invalid_argument, "a redis client that was never connected");
        bytes_ = size();
        router_.get()->submit(*this);
        return true;
    } catch (...) {
        rondo::fault f = rondo::detail::current_fault();
        f.outcome(outcome::not_sent);
        fault_ = std::make_unique<rondo::fault>(std::move(f));
        return false;
    }
}

void request::cancelled(leaf& l, rondo::detail::worklist&) noexcept {
    auto& self = static_cast<request&>(l);
    self.on_->abandon(self);
    rondo::detail::complete_cancelled(self);
}

void request::fail(rondo::fault f) {
    if (!fault_) fault_ = std::make_unique<rondo::fault>(std::move(f));
}

}  // namespace detail
}  // namespace redis
}  // namespace rondo::inline v0
