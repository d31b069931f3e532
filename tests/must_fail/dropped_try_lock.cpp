// must not compile: the lock is released where its guard ends
#include <rondo/mutex.hpp>

void change(rondo::mutex& m) { m.try_lock(); }
