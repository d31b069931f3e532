// must not compile: blocking: runs plain functions on another thread. a coroutine is awaited: co_await f\(\)
#include <rondo/blocking.hpp>
#include <rondo/task.hpp>

rondo::task<int> number();

rondo::task<int> run() {
    auto n = co_await rondo::blocking(number);
    co_return co_await std::move(n);
}
