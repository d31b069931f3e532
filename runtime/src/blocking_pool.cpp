#include "blocking_pool.hpp"

#include <pthread.h>
#include <string>
#include <system_error>
#include <utility>

namespace rondo::inline v0::detail {

blocking_pool::~blocking_pool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
}

void blocking_pool::let_go() noexcept {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
    for (std::thread& t : threads_) t.detach();
    threads_.clear();
}

void blocking_pool::submit(pool_call& call) {
    {
        const std::lock_guard lock(mutex_);
        call.queued = true;
        call.next = nullptr;
        call.prev = last_;
        (last_ != nullptr ? last_->next : first_) = &call;
        last_ = &call;
        ++queued_;
        if (queued_ > idle_ && threads_.size() < max_threads_) {
            try {
                threads_.emplace_back(&blocking_pool::work, this, static_cast<unsigned>(threads_.size()));
            } catch (const std::system_error&) {
                // The threads there are will get to it; with none it can never run.
                if (threads_.empty()) {
                    take_out(call);
                    throw;
                }
            }
        }
    }
    wake_.notify_one();
}

bool blocking_pool::withdraw(pool_call& call) noexcept {
    const std::lock_guard lock(mutex_);
    if (!call.queued) return false;
    take_out(call);
    return true;
}

void blocking_pool::take_out(pool_call& call) noexcept {
    call.queued = false;
    --queued_;
    (call.prev != nullptr ? call.prev->next : first_) = call.next;
    (call.next != nullptr ? call.next->prev : last_) = call.prev;
}

void blocking_pool::work(unsigned number) noexcept {
    const std::string name = "rondo-block-" + std::to_string(number);
    ::pthread_setname_np(::pthread_self(), name.c_str());
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        wake_.wait(lock, [this] { return first_ != nullptr || stopping_; });
        --idle_;
        if (first_ == nullptr) return;
        pool_call& call = *std::exchange(first_, first_->next);
        (first_ != nullptr ? first_->prev : last_) = nullptr;
        call.queued = false;
        --queued_;
        lock.unlock();
        call.run(call);  // the call may be gone when this returns
        lock.lock();
    }
}

}  // namespace rondo::inline v0::detail
