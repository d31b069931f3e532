#include <rondo/detail/limited.hpp>

namespace rondo::inline v0::detail {

void check_limit(std::size_t limit, const char* operation) {
    if (limit != 0) return;
    throw error(fault(errc::invalid_argument, operation).detail("with a limit of 0 nothing would ever run"));
}

}  // namespace rondo::inline v0::detail
