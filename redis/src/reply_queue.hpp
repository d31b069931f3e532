// To whom the next replies belong.
//
// The server answers in the order of the commands. A request that was given up leaves the queue at once (its frame is
// about to go) and leaves a tombstone: the number of replies that have to be thrown away before its successor's turn.
#pragma once

#include <cstddef>
#include <utility>

#include "request_list.hpp"

namespace rondo::inline v0 {
namespace redis {
namespace detail {

class reply_queue {
public:
    enum class owner { nobody, abandoned, request };

    /// Its commands were handed to the socket.
    void expect(request& r) noexcept {
        r.abandoned_before_ = std::exchange(abandoned_after_, 0);
        waiting_.push_back(r);
        owed_ += r.replies_;
    }

    /// It no longer wants its replies.
    void abandon(request& r) noexcept {
        const std::size_t skipped = r.abandoned_before_ + r.replies_ - r.received_;
        (r.following_ != nullptr ? r.following_->abandoned_before_ : abandoned_after_) += skipped;
        waiting_.remove(r);
    }

    /// Whose the next reply is: that of front(), of a request given up, or of nobody.
    owner next_owner() const noexcept {
        if (owed_ == 0) return owner::nobody;
        return waiting_.front() == nullptr || waiting_.front()->abandoned_before_ != 0 ? owner::abandoned
                                                                                       : owner::request;
    }
    request* front() const noexcept { return waiting_.front(); }

    /// The next reply was thrown away.
    void discarded() noexcept {
        --(waiting_.front() != nullptr ? waiting_.front()->abandoned_before_ : abandoned_after_);
        --owed_;
    }
    /// front() took the next reply; true when that was its last, and it has left the queue.
    bool delivered() noexcept {
        request& r = *waiting_.front();
        --owed_;
        if (++r.received_ != r.replies_) return false;
        waiting_.remove(r);
        return true;
    }
    /// front() leaves without its replies, because none will come any more.
    void give_up_front() noexcept { waiting_.remove(*waiting_.front()); }

    /// Replies still to come, tombstones included.
    std::size_t owed() const noexcept { return owed_; }

private:
    request_list waiting_;
    std::size_t abandoned_after_ = 0;  // tombstones behind the last request
    std::size_t owed_ = 0;
};

}  // namespace detail
}  // namespace redis
}  // namespace rondo::inline v0
