// A queue threaded through the requests themselves.
#pragma once

#include <cstddef>

#include <rondo/redis/detail/request.hpp>

namespace rondo::inline v0 {
namespace redis {
namespace detail {

class request_list {
public:
    request_list() noexcept = default;
    request_list(const request_list&) = delete;
    request_list& operator=(const request_list&) = delete;

    request* front() const noexcept { return first_; }
    std::size_t size() const noexcept { return size_; }

    void push_back(request& r) noexcept {
        r.previous_ = last_;
        r.following_ = nullptr;
        (last_ != nullptr ? last_->following_ : first_) = &r;
        last_ = &r;
        ++size_;
    }
    void remove(request& r) noexcept {
        (r.previous_ != nullptr ? r.previous_->following_ : first_) = r.following_;
        (r.following_ != nullptr ? r.following_->previous_ : last_) = r.previous_;
        r.previous_ = r.following_ = nullptr;
        --size_;
    }

private:
    request* first_ = nullptr;
    request* last_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace detail
}  // namespace redis
}  // namespace rondo::inline v0
