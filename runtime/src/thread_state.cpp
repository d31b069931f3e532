#include <rondo/detail/job.hpp>

namespace rondo::inline v0::detail {

constinit thread_local thread_state tls;

}  // namespace rondo::inline v0::detail
