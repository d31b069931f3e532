// must not compile: awaitable<[^>]*int>|awaitable<A>
#include <rondo/when_all.hpp>

rondo::task<int> number();

rondo::task<> wait() { co_await rondo::when_all(number(), 5); }
