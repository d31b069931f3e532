// Every decision of a simulated kernel is a pick between n possibilities. So a run is the list of its picks: at random
// from a seed, or one path through the tree of all lists.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::inline v0 {
namespace testing {

class chooser {
public:
    /// Picks at random.
    explicit chooser(std::uint64_t seed) noexcept;
    /// Follows a path and takes the first possibility after its end; at most `budget` chances for a fault are taken.
    chooser(std::vector<unsigned> path, unsigned budget) noexcept;

    bool is_exhaustive() const noexcept { return exhaustive_; }
    /// One of 0 .. n-1.
    unsigned pick(unsigned n);
    /// Whether a fault happens now; `one_in` of 0 is never.
    bool happens(unsigned one_in);

    /// Goes back to the start, for the next path; false when this was the last.
    bool advance();
    /// A run made other decisions than the one before on the same path.
    bool strayed() const noexcept { return strayed_; }
    std::size_t picks() const noexcept { return position_; }

    /// How to see this run again: "RONDO_SEED=7" or "RONDO_PATH=0.2.1".
    std::string replay() const;
    /// Of "0.2.1"; what is not a number ends it.
    static std::vector<unsigned> parse_path(std::string_view text);

private:
    bool exhaustive_;
    bool strayed_ = false;
    std::uint64_t seed_ = 0;
    unsigned budget_ = 0;
    unsigned left_ = 0;  // of the budget
    std::mt19937_64 random_;
    std::vector<unsigned> path_;
    std::vector<unsigned> widths_;  // of how many each pick was one
    std::size_t position_ = 0;
};

}  // namespace testing
}  // namespace rondo::inline v0
