// must not compile: the permits go back where this ends
#include <rondo/semaphore.hpp>
#include <rondo/task.hpp>

rondo::task<> work(rondo::semaphore& s) { co_await s.acquire(); }
