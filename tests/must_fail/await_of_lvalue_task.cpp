// must not compile: a task is awaited once: write co_await f\(\), or co_await std::move\(t\)
#include <rondo/task.hpp>

rondo::task<int> number();

rondo::task<int> twice() {
    auto n = number();
    const int x = co_await n;
    co_return 2 * x;
}
