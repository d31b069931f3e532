#include <rondo/redis/commands.hpp>

namespace rondo::inline v0 {
namespace redis {
namespace detail {

std::string blocking_seconds(std::chrono::milliseconds timeout, std::string_view command) {
    const bool too_long = timeout == std::chrono::milliseconds::max();
    if (timeout.count() <= 0 || too_long) {
        fault f(rondo::errc::invalid_argument, std::string(command));
        std::string what = "a timeout " + (too_long ? "too long" : "of " + std::to_string(timeout.count()) + " ms");
        f.detail(what += "; use redis::forever to wait without end");
        f.outcome(outcome::not_sent);
        throw rondo::error(std::move(f));
    }
    const auto ms = timeout.count();
    std::string text = std::to_string(ms / 1000);
    // Servers before 6.0 take whole seconds only: no fraction where none is needed.
    if (ms % 1000 != 0) (text += '.') += std::to_string(1000 + ms % 1000).substr(1);
    return text;
}

}  // namespace detail
}  // namespace redis
}  // namespace rondo::inline v0
