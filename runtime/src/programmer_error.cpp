#include <rondo/detail/programmer_error.hpp>

#include <cstdlib>
#include <string>

#include <rondo/report.hpp>

#include "report_line.hpp"

namespace rondo::inline v0::detail {

void programmer_error(const char* what, std::source_location where) noexcept {
    report(format_location(where) + ": " + what);
    std::abort();
}

}  // namespace rondo::inline v0::detail
