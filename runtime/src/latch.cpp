#include <rondo/latch.hpp>

namespace rondo::inline v0 {

void latch::too_many() noexcept { detail::programmer_error("a latch is counted down by more than is left"); }

}  // namespace rondo::inline v0
