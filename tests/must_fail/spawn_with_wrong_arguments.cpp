// must not compile: spawn: takes a task, or a function that gives one and the arguments for it
#include <rondo/spawn.hpp>

rondo::task<int> twice(int n);

void start() { rondo::spawn(twice, "five").detach(); }
