#include "chooser.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include <rondo/report.hpp>

namespace rondo::inline v0 {
namespace testing {

namespace {
// A run that makes more decisions than that does not end.
constexpr std::size_t most_picks = 1'000'000;
}  // namespace

chooser::chooser(std::uint64_t seed) noexcept
    : exhaustive_(false), seed_(seed), random_(seed * 0x9e3779b97f4a7c15U + 1) {}

chooser::chooser(std::vector<unsigned> path, unsigned budget) noexcept
    : exhaustive_(true), budget_(budget), left_(budget), path_(std::move(path)) {}

unsigned chooser::pick(unsigned n) {
    if (n <= 1) return 0;
    if (position_ == most_picks) {
        report("a simulated run does not end; see it again with " + replay());
        std::abort();
    }
    if (!exhaustive_) {
        ++position_;
        return static_cast<unsigned>(random_() % n);
    }
    if (position_ == path_.size()) path_.push_back(0);
    if (position_ == widths_.size()) widths_.push_back(n);
    if (widths_[position_] != n) strayed_ = true;
    const unsigned choice = std::min(path_[position_], n - 1);
    ++position_;
    return choice;
}

bool chooser::happens(unsigned one_in) {
    if (one_in == 0) return false;
    if (!exhaustive_) return pick(one_in) == one_in - 1;
    if (left_ == 0 || pick(2) == 0) return false;
    --left_;
    return true;
}

bool chooser::advance() {
    path_.resize(position_);
    while (!path_.empty() && path_.back() + 1 >= widths_[path_.size() - 1]) path_.pop_back();
    widths_.resize(path_.size());
    position_ = 0;
    left_ = budget_;
    if (path_.empty()) return false;
    ++path_.back();
    return true;
}

std::string chooser::replay() const {
    if (!exhaustive_) return "RONDO_SEED=" + std::to_string(seed_);
    std::string out;
    for (std::size_t i = 0; i < position_ && i < path_.size(); ++i)
        (out += out.empty() ? "" : ".") += std::to_string(path_[i]);
    return "RONDO_PATH=" + (out.empty() ? "0" : out);
}

std::vector<unsigned> chooser::parse_path(std::string_view text) {
    std::vector<unsigned> path;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        unsigned n = 0;
        const auto [next, ec] = std::from_chars(at, end, n);
        if (ec != std::errc()) break;
        path.push_back(n);
        at = next;
        if (at != end && *at == '.') ++at;
        else break;
    }
    return path;
}

}  // namespace testing
}  // namespace rondo::inline v0
