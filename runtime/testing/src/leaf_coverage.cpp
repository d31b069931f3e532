#include <rondo/testing/leaf_coverage.hpp>

#include <string_view>

namespace rondo::inline v0 {
namespace testing {

namespace {
constexpr std::array<std::string_view, leaf_coverage::cells> names{
    "idle_armed",      "idle_at_once",   "idle_cancelled", "marked_refused", "marked_cancelled",
    "armed_done",      "armed_ended",    "armed_asked",    "asked_done",     "asked_ended",
    "asked_cancelled", "done_delivered", "done_cancelled", "ended_thrown",   "ended_cancelled",
};
}  // namespace

std::string leaf_coverage::missing() const {
    std::string out;
    for (std::size_t i = 0; i < cells; ++i) {
        if (counts_[i] == 0) (out += out.empty() ? "" : " ") += names[i];
    }
    return out;
}

}  // namespace testing
}  // namespace rondo::inline v0
