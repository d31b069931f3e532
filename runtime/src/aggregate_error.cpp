#include <rondo/aggregate_error.hpp>

namespace rondo::inline v0 {

namespace {

fault summary(const std::vector<fault>& faults) {
    // The code of the first stands for all; the text names each.
    std::string text = "all " + std::to_string(faults.size()) + " failed";
    for (const fault& f : faults) (text += "; ") += f.text();
    fault all(faults.empty() ? make_error_code(errc::invalid_argument) : faults.front().code(), "when_any");
    all.detail(std::move(text));
    return all;
}

}  // namespace

aggregate_error::aggregate_error(std::vector<v0::fault> faults) : error(summary(faults)), faults_(std::move(faults)) {}
aggregate_error::~aggregate_error() = default;

}  // namespace rondo::inline v0
