#include <rondo/semaphore.hpp>

#include <string>

namespace rondo::inline v0 {

void semaphore::release(std::size_t n) {
    if (n > maximum_ - permits_.total()) {
        fault f(errc::limit_exceeded, "semaphore release");
        f.detail("there would be more permits than its maximum of " + std::to_string(maximum_));
        throw error(std::move(f));
    }
    permits_.add(n);
}

void semaphore::close() noexcept {
    closed_ = true;
    while (detail::permit_waiter* const w = permits_.dismiss_first()) {
        static_cast<acquire_operation*>(w)->refuse(acquire_operation::refusal::closed);
        complete(*w);
    }
}

void semaphore::permit::forget() noexcept {
    if (from_ != nullptr) std::exchange(from_, nullptr)->forget(std::exchange(count_, 0));
}

semaphore::permit semaphore::permit::split(std::size_t n) {
    if (from_ == nullptr || n > count_) {
        fault f(errc::invalid_argument, "semaphore permit split");
        f.detail(std::to_string(n) + " permits out of " + std::to_string(count_));
        throw error(std::move(f));
    }
    count_ -= n;
    return permit(*from_, n);
}

void semaphore::permit::merge(permit&& other) {
    if (other.from_ == nullptr || &other == this) return;
    if (from_ != nullptr && from_ != other.from_) {
        fault f(errc::invalid_argument, "semaphore permit merge");
        f.detail("the permits are of two semaphores");
        throw error(std::move(f));
    }
    from_ = std::exchange(other.from_, nullptr);
    count_ += std::exchange(other.count_, 0);
}

fault semaphore::acquire_operation::why() const {
    if (refusal_ == refusal::closed) return fault(errc::closed, "semaphore acquire");
    fault f(errc::invalid_argument, "semaphore acquire");
    f.detail(std::to_string(count_) + " permits of a maximum of " + std::to_string(semaphore_->maximum_));
    return f;
}

}  // namespace rondo::inline v0
