// must not compile: a command is sent when it is awaited
#include <rondo/redis/client.hpp>

void get(const rondo::redis::client& db) { db(rondo::redis::get("k")); }
