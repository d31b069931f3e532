#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <rondo/testing/simulation.hpp>

namespace rondo::inline v0 {
namespace testing {

/// What became of an exploration.
class exploration {
public:
    exploration(std::uint64_t runs, bool complete, const leaf_coverage& leaves) noexcept
        : runs_(runs), complete_(complete), leaves_(leaves) {}

    std::uint64_t runs() const noexcept { return runs_; }
    /// False when the limit came before every way was tried.
    bool is_complete() const noexcept { return complete_; }
    /// What the leaves went through, all runs together.
    const leaf_coverage& leaves() const noexcept { return leaves_; }

private:
    std::uint64_t runs_;
    bool complete_;
    leaf_coverage leaves_;
};

/// Bounds of explore().
class explore_options {
public:
    explore_options() noexcept {}

    /// Faults beside the order (default: none).
    explore_options& with(const faults& f) noexcept { return faults_ = f, *this; }
    /// Runs at most (default 1,000,000).
    explore_options& limit(std::uint64_t runs) noexcept { return limit_ = runs, *this; }

    const faults& with() const noexcept { return faults_; }
    std::uint64_t limit() const noexcept { return limit_; }

private:
    faults faults_;
    std::uint64_t limit_ = 1'000'000;
};

namespace detail {

/// A scenario without its type.
class scenario_ref {
public:
    template <class F>
    explicit scenario_ref(F& f) noexcept
        : object_(const_cast<void*>(static_cast<const volatile void*>(&f))),
          call_([](void* o, simulation& s) { (*static_cast<F*>(o))(s); }) {}
    void operator()(simulation& s) const { call_(object_, s); }

private:
    void* object_;
    void (*call_)(void*, simulation&);
};

RONDO_API exploration explore(const explore_options& options, const scenario_ref& scenario);
RONDO_API exploration for_seeds(std::uint64_t count, const faults& f, const scenario_ref& scenario);

}  // namespace detail

/// Runs a scenario once for each way in which its completions can be ordered and batched, its cancels (see
/// simulation::moment) can arrive, its timers can fire between them, and its picks can fall. Meant for up to four
/// operations: the number of ways grows fast beyond.
///
///     rondo::testing::explore([](rondo::testing::simulation& machine) {
///         machine.run(read_against_cancel(machine));
///         REQUIRE(…);
///     });
///
/// What the scenario throws ends it, after a report (rondo::on_report) of how to see that run again:
/// with RONDO_PATH=0.2.1 in the environment explore() makes only that run. simulation::check() follows each run.
template <class F>
exploration explore(const explore_options& options, F&& scenario) {
    return detail::explore(options, detail::scenario_ref(scenario));
}
template <class F>
    requires std::is_invocable_v<F&, simulation&>
exploration explore(F&& scenario) {
    return explore(explore_options(), scenario);
}

/// Runs a scenario once for each of the seeds 0 .. count-1, with faults. A failure is reported with its seed;
/// RONDO_SEED=7 in the environment makes only that run.
template <class F>
exploration for_seeds(std::uint64_t count, const faults& f, F&& scenario) {
    return detail::for_seeds(count, f, detail::scenario_ref(scenario));
}
template <class F>
    requires std::is_invocable_v<F&, simulation&>
exploration for_seeds(std::uint64_t count, F&& scenario) {
    return for_seeds(count, faults::all(), scenario);
}

}  // namespace testing
}  // namespace rondo::inline v0
