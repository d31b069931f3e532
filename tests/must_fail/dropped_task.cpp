// must not compile: a task does nothing until it is awaited, spawned or given to a combinator
#include <rondo/task.hpp>

rondo::task<> send();

rondo::task<> send_twice() {
    send();
    co_await send();
}
