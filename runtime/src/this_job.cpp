#include <rondo/this_job.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

namespace {
// A yielding job is queued, never armed, so neither is ever called for it.
void no_cancel(leaf&, worklist&) noexcept {}
void describe(const leaf&, report_line& out) { out.text("yield"); }
}  // namespace

const leaf_ops yield_operation::ops_table{&no_cancel, &describe};

}  // namespace rondo::inline v0::detail
