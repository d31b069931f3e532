#include <rondo/testing/simulation.hpp>

#include <stdexcept>

#include "world.hpp"

namespace rondo::inline v0 {
namespace testing {

simulation::simulation(std::uint64_t seed, const faults& f)
    : world_(std::make_unique<world>(std::make_unique<chooser>(seed), f)) {}

simulation::simulation(std::unique_ptr<world> w) noexcept : world_(std::move(w)) {}

simulation::~simulation() = default;

runtime_options simulation::options() const noexcept {
    return runtime_options().clock(world_->kernel.clock).system(world_->kernel);
}

virtual_clock& simulation::clock() noexcept { return world_->kernel.clock; }

unsigned simulation::pick(unsigned n) { return world_->kernel.choices.pick(n); }

int simulation::open_file(std::string contents) {
    auto f = std::make_shared<testing::open_file>();
    f->is = testing::open_file::kind::file;
    f->contents = std::move(contents);
    return world_->kernel.add(std::move(f));
}

std::string simulation::contents(int fd) const {
    const std::shared_ptr<testing::open_file> f = world_->kernel.find(fd);
    return f != nullptr ? f->contents : std::string();
}

std::pair<int, int> simulation::connected() {
    simulated_kernel& k = world_->kernel;
    const auto a = std::make_shared<testing::open_file>();
    const auto b = std::make_shared<testing::open_file>();
    k.join(a, b);
    const int first = k.add(a);
    return {first, k.add(b)};
}

void simulation::close(int fd) noexcept { world_->kernel.close(fd); }

std::size_t simulation::open_descriptors() const noexcept { return world_->kernel.open_descriptors(); }

const leaf_coverage& simulation::leaves() const noexcept { return world_->kernel.leaves.coverage(); }

void simulation::check() const {
    std::string wrong;
    const auto complain = [&wrong](const std::string& what) { (wrong += wrong.empty() ? "" : "; ") += what; };
    const simulated_kernel& k = world_->kernel;
    const rondo::detail::leak_counts now = rondo::detail::count_leaks();
    const rondo::detail::leak_counts& before = world_->before;
    if (!k.violations().empty()) complain(k.violations());
    if (!k.leaves.violation().empty()) complain(k.leaves.violation());
    if (k.choices.strayed()) complain("the scenario is not deterministic: it chose differently on the same path");
    if (k.open_descriptors() != 0) complain(std::to_string(k.open_descriptors()) + " descriptors are open");
    if (now.timers != before.timers) complain("timers are armed");
    if (now.jobs != before.jobs) complain("jobs are left");
    if (now.buffers != before.buffers) complain("receive buffers are held");
    if (now.permits != before.permits) complain("locks or permits are held");
    if (!wrong.empty()) throw std::runtime_error("a simulated run: " + wrong);
}

}  // namespace testing
}  // namespace rondo::inline v0
