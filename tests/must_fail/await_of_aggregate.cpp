// must not compile: give it a constructor, or await a variable
#include <coroutine>
#include <string>

#include <rondo/task.hpp>

struct named_wait {
    std::string name;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) const { h.resume(); }
    void await_resume() const {}
};

rondo::task<> wait() { co_await named_wait{"door"}; }
