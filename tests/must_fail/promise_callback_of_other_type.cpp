// must not compile: then: the callback is called with the value
#include <string>

#include <rondo/promise.hpp>

void use(rondo::promise<int> p) {
    p.then([](const std::string&) {});
}
