// must not compile: an awaitable is awaited once: pass f\(\), or std::move\(t\)
#include <rondo/when_all.hpp>

rondo::task<int> number();

rondo::task<> wait() {
    auto a = number();
    auto b = number();
    co_await rondo::when_all(a, b);
}
