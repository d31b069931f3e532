// What a simulation consists of.
#pragma once

#include <memory>

#include <rondo/detail/counters.hpp>
#include <rondo/testing/simulation.hpp>

#include "simulated_kernel.hpp"

namespace rondo::inline v0 {
namespace testing {

struct simulation::world {
    world(chooser& c, const faults& f) : kernel(c, f) {}
    world(std::unique_ptr<chooser> c, const faults& f) : own(std::move(c)), kernel(*own, f) {}

    std::unique_ptr<chooser> own;
    simulated_kernel kernel;
    rondo::detail::leak_counts before = rondo::detail::count_leaks();
};

}  // namespace testing
}  // namespace rondo::inline v0
