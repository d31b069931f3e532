// must not compile: spawn: the function has to give a rondo::task
#include <rondo/spawn.hpp>

int number();

void start() { rondo::spawn(number).detach(); }
