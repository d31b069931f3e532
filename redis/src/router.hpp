// Chooses the connection for each command; what all handles of a client share.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <rondo/redis/options.hpp>

#include "connection.hpp"

namespace rondo::inline v0 {
namespace redis {
namespace detail {

class router {
public:
    explicit router(options o) : options_(std::make_shared<const options>(std::move(o))) {}
    router(const router&) = delete;
    router& operator=(const router&) = delete;
    ~router();

    /// The connection that everybody shares; a new one when there is none, or none any more.
    const std::shared_ptr<connection>& shared();

    /// Queues a request on the connection that its type asks for. Throws when it cannot be taken.
    void submit(request& r);
    /// A blocking request has ended. Its connection, if it can be used again, waits for the next one.
    void blocking_ended(connection* reusable) noexcept;

    void add_ref() noexcept { ++refs_; }
    /// True when that was the last.
    bool drop_ref() noexcept { return --refs_ == 0; }

private:
    std::shared_ptr<connection> lease();
    void check_room(const connection& c, const request& r) const;

    std::shared_ptr<const options> options_;
    std::shared_ptr<connection> shared_;
    std::vector<std::shared_ptr<connection>> idle_;
    std::size_t blocking_ = 0;
    std::size_t refs_ = 1;
};

}  // namespace detail
}  // namespace redis
}  // namespace rondo::inline v0
