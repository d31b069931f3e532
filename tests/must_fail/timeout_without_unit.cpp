// must not compile: with_timeout: of what\? Say the unit: with_timeout\(5s, f\(\)\)
#include <rondo/with_timeout.hpp>

rondo::task<int> number();

rondo::task<> wait() { co_await rondo::with_timeout(5, number()); }
