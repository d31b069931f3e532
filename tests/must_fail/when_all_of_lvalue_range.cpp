// must not compile: the range's tasks are moved out of it: pass std::move\(range\)
#include <rondo/when_all.hpp>

rondo::task<> wait(std::vector<rondo::task<int>> all) { co_await rondo::when_all(all); }
