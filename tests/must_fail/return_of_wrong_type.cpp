// must not compile: co_return: a task<T> gives a T, and this does not convert to it
#include <string>

#include <rondo/task.hpp>

rondo::task<int> number() { co_return std::string("five"); }
