// must not compile: spawn: takes a task, or a function that gives one and the arguments for it
#include <rondo/spawn.hpp>

void start() { rondo::spawn(5).detach(); }
