// What the contenders' runs gave, and how it is shown.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/suite.hpp"

namespace bench {

/// All runs of one contender in one scenario, of one metric.
struct samples {
    std::string scenario;
    std::string contender;
    std::string metric;
    std::string unit;
    std::vector<double> values;

    double median() const;
    double min() const;
    double max() const;
};

class measurements {
public:
    void add(const std::string& scenario, const std::string& contender, const std::string& metric,
             const std::string& unit, double value);
    /// Null when there is none.
    const samples* find(const std::string& scenario, const std::string& contender, const std::string& metric) const;
    const std::vector<samples>& all() const { return all_; }

private:
    std::vector<samples> all_;
};

/// "floor" for what g++ built and for the peers, "floor-clang" for what clang built.
std::string floor_of(const std::string& contender);

/// Only rondo has targets.
bool is_judged(const std::string& contender);

/// The table of CPU times, then that of the other figures. Returns how many targets were missed.
int print_table(const measurements& m, const std::vector<scenario_plan>& scenarios,
                const std::vector<std::string>& contenders);

/// False when it cannot be written; errno says why.
bool write_json(const std::string& path, const std::string& suite, const measurements& m);

}  // namespace bench
