// must not compile: spawn: a capturing lambda dies before its coroutine ends. pass a function or a captureless lambda
#include <rondo/spawn.hpp>

void start(int n) {
    rondo::spawn([n]() -> rondo::task<int> { co_return n; }).detach();
}
