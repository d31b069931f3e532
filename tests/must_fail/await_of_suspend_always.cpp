// must not compile: nobody would ever resume it
#include <rondo/task.hpp>

rondo::task<> stops() { co_await std::suspend_always(); }
