// must not compile: redis: no reply can become this type. what can is listed at redis::convert
#include <rondo/redis/client.hpp>

struct point {
    int x, y;
};

rondo::task<> get_point(rondo::redis::client db) { co_await db(rondo::redis::command<point>("GET", "k")); }
