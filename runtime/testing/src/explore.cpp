#include <rondo/testing/explore.hpp>

#include <cstdlib>
#include <memory>
#include <string>

#include <rondo/report.hpp>

#include "world.hpp"

namespace rondo::inline v0 {
namespace testing {
namespace detail {

class driver {
public:
    /// One run; on failure says how to see it again.
    static void run_once(chooser& choices, const faults& f, const scenario_ref& scenario, leaf_coverage& leaves) {
        simulation machine(std::make_unique<simulation::world>(choices, f));
        try {
            scenario(machine);
            machine.check();
        } catch (...) {
            report("a simulated run failed; see it again with " + choices.replay());
            throw;
        }
        leaves.add(machine.leaves());
    }
};

exploration explore(const explore_options& options, const scenario_ref& scenario) {
    leaf_coverage leaves;
    if (const char* const path = std::getenv("RONDO_PATH")) {
        chooser choices(chooser::parse_path(path), options.with().budget());
        driver::run_once(choices, options.with(), scenario, leaves);
        return {1, true, leaves};
    }
    chooser choices({}, options.with().budget());
    std::uint64_t runs = 0;
    while (runs < options.limit()) {
        driver::run_once(choices, options.with(), scenario, leaves);
        ++runs;
        if (!choices.advance()) return {runs, true, leaves};
    }
    return {runs, false, leaves};
}

exploration for_seeds(std::uint64_t count, const faults& f, const scenario_ref& scenario) {
    leaf_coverage leaves;
    const auto run = [&](std::uint64_t seed) {
        chooser choices(seed);
        driver::run_once(choices, f, scenario, leaves);
    };
    if (const char* const seed = std::getenv("RONDO_SEED")) {
        run(std::strtoull(seed, nullptr, 10));
        return {1, true, leaves};
    }
    for (std::uint64_t seed = 0; seed < count; ++seed) run(seed);
    return {count, true, leaves};
}

}  // namespace detail
}  // namespace testing
}  // namespace rondo::inline v0
