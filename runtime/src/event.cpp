#include <rondo/event.hpp>

namespace rondo::inline v0 {

void event::set() noexcept {
    set_ = true;
    waiters_.complete_all();
}

}  // namespace rondo::inline v0
