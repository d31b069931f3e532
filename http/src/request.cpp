#include <rondo/http/request.hpp>

#include <rondo/error.hpp>

namespace rondo::inline v0 {
namespace http {

std::string_view request::query() const noexcept {
    const std::size_t mark = target_.find('?');
    return mark == std::string::npos ? std::string_view() : std::string_view(target_).substr(mark + 1);
}

const std::string& request::param(std::string_view name) const {
    for (const auto& [key, value] : params_)
        if (key == name) return value;
    throw error(
        fault(v0::errc::invalid_argument, "request::param").detail("the route has no {" + std::string(name) + "}"));
}

}  // namespace http
}  // namespace rondo::inline v0
