#include <rondo/this_job.hpp>

#include <algorithm>

#include <rondo/with_timeout.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

namespace {
// A yielding job is queued, never armed, so neither is ever called for it.
void no_cancel(leaf&, worklist&) noexcept {}
void describe(const leaf&, report_line& out) { out.text("yield"); }
}  // namespace

const leaf_ops yield_operation::ops_table{&no_cancel, &describe};

}  // namespace rondo::inline v0::detail

namespace rondo::inline v0::this_job {

std::optional<time_point> deadline() {
    std::int64_t earliest = INT64_MAX;
    const detail::job* j = &detail::current_job();
    for (const detail::leaf* around = j->ops->within(*j); around != nullptr; around = j->ops->within(*j)) {
        earliest = std::min(earliest, detail::timeout_base::due(*around));
        j = around->waiting;
    }
    if (earliest == INT64_MAX) return std::nullopt;
    return time_point(duration(earliest));
}

const char* name() {
    const detail::job* j = &detail::current_job();
    for (const detail::leaf* around = j->ops->within(*j); around != nullptr; around = j->ops->within(*j))
        j = around->waiting;
    return j->ops->name != nullptr ? j->ops->name(*j) : "";
}

}  // namespace rondo::inline v0::this_job
