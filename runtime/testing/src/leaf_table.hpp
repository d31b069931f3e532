// Holds every leaf of a simulated run to the table in docs/design/cancellation.md.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include <rondo/detail/leaf_watch.hpp>
#include <rondo/testing/leaf_coverage.hpp>

namespace rondo::inline v0 {
namespace testing {

class leaf_table final : public rondo::detail::leaf_watch {
public:
    void saw(rondo::detail::leaf_event e, const rondo::detail::job& j) noexcept override;

    const leaf_coverage& coverage() const noexcept { return coverage_; }
    /// The first event that the table has no room for; empty when there was none.
    const std::string& violation() const noexcept { return violation_; }

private:
    enum class state : std::uint8_t { armed, marked, asked, done, ended };

    void cancelled(const rondo::detail::job& j);
    void refuse(const char* what);

    // Jobs that wait, or whose wait is over and who have not run since; the others are idle.
    std::unordered_map<const rondo::detail::job*, state> jobs_;
    leaf_coverage coverage_;
    std::string violation_;
};

}  // namespace testing
}  // namespace rondo::inline v0
