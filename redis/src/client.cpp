#include <rondo/redis/client.hpp>

#include <utility>

#include "router.hpp"

namespace rondo::inline v0 {
namespace redis {

task<client> connect(options to) {
    const detail::router_ref router(new detail::router(std::move(to)));
    const std::shared_ptr<detail::connection> c = router.get()->shared();
    co_await c->greeted().wait();
    c->check();
    co_return client(router);
}

}  // namespace redis
}  // namespace rondo::inline v0
