// must not compile: the lock is released where its guard ends
#include <rondo/mutex.hpp>
#include <rondo/task.hpp>

rondo::task<> change(rondo::mutex& m) { co_await m.lock(); }
