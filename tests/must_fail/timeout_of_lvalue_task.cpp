// must not compile: an awaitable is awaited once: pass f\(\), or std::move\(t\)
#include <rondo/with_timeout.hpp>

rondo::task<int> number();

rondo::task<int> wait() {
    auto n = number();
    const int x = co_await rondo::with_timeout(std::chrono::seconds(1), n);
    co_return x;
}
