#include <rondo/oneshot.hpp>

namespace rondo::inline v0::detail {

fault oneshot_base::no_value() const {
    if (taken_) return std::move(fault(errc::closed, "oneshot").detail("its value was taken before"));
    return std::move(fault(errc::abandoned, "oneshot").detail("its sender went without sending"));
}

}  // namespace rondo::inline v0::detail
