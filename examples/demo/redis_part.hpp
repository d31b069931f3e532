// Ten BLPOPs on keys that stay empty, so that the server ends each when its time is over.
#pragma once

#include <string>

#include <rondo/redis/client.hpp>
#include <rondo/task.hpp>

#include "board.hpp"

namespace demo {

class redis_part {
public:
    /// Opens the connections that the waits will use, sees that the server answers on each, and asks it how coarse
    /// its clock is.
    /// Errors: rondo::error.
    static rondo::task<redis_part> connect(std::string url);

    /// Its timeouts end on multiples of this: 1000/hz ms.
    duration grain() const noexcept { return grain_; }

    /// Settles the board's Redis waits, a failed one by rejecting it. Lifetime: this and the board outlive it.
    rondo::task<> settle(board& b);

private:
    redis_part(rondo::redis::client db, duration grain) : db_(std::move(db)), grain_(grain) {}

    rondo::redis::client db_;
    duration grain_;
};

}  // namespace demo
