// must not compile: no match.*blocking_command|blocking_command.*no match|no matching function.*redis::client
#include <rondo/redis/client.hpp>

rondo::task<> wait(rondo::redis::client db) {
    co_await db(rondo::redis::get("k"), rondo::redis::blpop("l", rondo::redis::forever));
}
