// must not compile: the completion function of a barrier takes nothing and is noexcept
#include <rondo/barrier.hpp>

void meet() {
    rondo::barrier step(3, [] {});
}
