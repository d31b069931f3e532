// must not compile: co_await takes a task, an operation of rondo, or an awaiter
#include <rondo/task.hpp>

rondo::task<> wait() { co_await 5; }
