// The bounded threads that run what cannot wait in the kernel.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include <rondo/detail/pool_call.hpp>

namespace rondo::inline v0::detail {

/// Threads start on demand, up to the limit, and stay until the pool ends. Calls run in the order in which they came.
/// Contexts share it: any thread.
class blocking_pool {
public:
    explicit blocking_pool(unsigned max_threads) noexcept : max_threads_(max_threads == 0 ? 1 : max_threads) {}
    /// Waits for the calls that run; there are none queued then.
    ~blocking_pool();
    blocking_pool(const blocking_pool&) = delete;
    blocking_pool& operator=(const blocking_pool&) = delete;

    /// Throws std::system_error when no thread can be started and none exists.
    void submit(pool_call& call);
    /// Leaves the threads to themselves; the pool stays for them. For calls that do not end.
    void let_go() noexcept;
    /// Takes a queued call back; false when it runs or ran already.
    bool withdraw(pool_call& call) noexcept;

private:
    void take_out(pool_call& call) noexcept;
    void work(unsigned number) noexcept;

    const unsigned max_threads_;
    std::mutex mutex_;
    std::condition_variable wake_;
    pool_call* first_ = nullptr;
    pool_call* last_ = nullptr;
    std::size_t queued_ = 0;
    std::size_t idle_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace rondo::inline v0::detail
