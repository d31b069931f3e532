// must not compile: T must not need more than 16-byte alignment. return a pointer to it
#include <rondo/task.hpp>

struct alignas(64) line {
    char text[64];
};

rondo::task<line> read() { co_return line{}; }
