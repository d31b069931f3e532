// must not compile: (argument<|single_argument|integer_argument)
#include <rondo/redis/commands.hpp>

auto set() { return rondo::redis::set("k", true); }
