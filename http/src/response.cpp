#include <rondo/http/response.hpp>

namespace rondo::inline v0 {
namespace http {

response response::text(std::string body) {
    response r(200, std::move(body));
    r.header("Content-Type", "text/plain; charset=utf-8");
    return r;
}

}  // namespace http
}  // namespace rondo::inline v0
