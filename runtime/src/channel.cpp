#include <rondo/channel.hpp>

namespace rondo::inline v0::detail {

fault send_after_close() { return std::move(fault(errc::closed, "channel send").detail("the channel is closed")); }

void check_batch(std::size_t max) {
    if (max == 0) throw error(fault(errc::invalid_argument, "channel receive_many").detail("a batch of no element"));
}

}  // namespace rondo::inline v0::detail
