// must not compile: run: takes a task: call the coroutine, run\(f\(\)\)
#include <rondo/run.hpp>

rondo::task<int> number();

int main() { return rondo::run(number); }
