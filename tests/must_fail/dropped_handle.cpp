// must not compile: dropping the handle detaches the job. say so with .detach\(\)
#include <rondo/spawn.hpp>

rondo::task<int> number();

void start() { rondo::spawn(number()); }
