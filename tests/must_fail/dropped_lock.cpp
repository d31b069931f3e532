// must not compile: nothing happens until it is awaited: co_await it
#include <rondo/mutex.hpp>

void change(rondo::mutex& m) { m.lock(); }
