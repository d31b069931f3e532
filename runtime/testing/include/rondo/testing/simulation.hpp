#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <rondo/detail/io_operation.hpp>
#include <rondo/run.hpp>
#include <rondo/testing/faults.hpp>
#include <rondo/testing/leaf_coverage.hpp>
#include <rondo/virtual_clock.hpp>

namespace rondo::inline v0 {
namespace testing {

namespace detail {
class driver;
}

/// A machine of its own for one run: sockets, files, timers and a clock that exist in memory only, and a kernel that
/// decides what completes when.
///
///     rondo::testing::simulation machine(42);             // every decision follows from the seed
///     machine.run(echo_once());                           // net::listener, net::connect … as they are
///     machine.check();                                    // nothing leaked
///
/// Scenarios are seldom run once: explore() and for_seeds() make one simulation for each way things can go.
///
/// What it simulates: stream sockets by address or unix path (each listener by its exact address), connect, accept,
/// send, receive (plain, with buffer rings, multishot), shutdown, close, poll, timeouts, cancels, file reads and
/// writes, and faults. Time passes only when the kernel decides so, and costs none.
///
/// What runs in it has to be deterministic: no random numbers but pick(), and other threads (`blocking`) only under
/// seeds, where they cost the replay its exactness.
///
/// Lifetime: outlives its runs and every stream, listener and remote handle made in them. Thread safety: one thread.
class RONDO_API simulation {
public:
    explicit simulation(std::uint64_t seed, const faults& f = faults());
    simulation(const simulation&) = delete;
    simulation& operator=(const simulation&) = delete;
    ~simulation();

    /// Like rondo::run, on this machine.
    template <class T>
    T run(task<T> t) {
        return rondo::run(options(), std::move(t));
    }
    /// For a rondo::run of one's own; settings may be added.
    runtime_options options() const noexcept;
    virtual_clock& clock() noexcept;

    /// `co_await machine.moment()` ends at a moment that the kernel chooses, between any two of its other completions:
    /// what follows it, a cancel say, arrives at every point at which it can.
    rondo::detail::nop_operation moment() const noexcept { return {}; }
    /// A choice of the scenario's own: 0 .. n-1, by the seed, or each in turn.
    unsigned pick(unsigned n);

    /// A descriptor of a file with these bytes. It stays open until close().
    int open_file(std::string contents);
    std::string contents(int fd) const;
    /// Two descriptors of a connection, for net::stream::adopt.
    std::pair<int, int> connected();
    void close(int fd) noexcept;

    /// What a run may not leave behind: descriptors, operations in flight, receive buffers, armed timers, jobs, held
    /// locks; and what it may not do: use or close a descriptor in the wrong order, complete a leaf twice. Throws
    /// std::runtime_error that names them. Call it after the run; explore() and for_seeds() do.
    void check() const;
    std::size_t open_descriptors() const noexcept;
    /// What the leaves went through so far.
    const leaf_coverage& leaves() const noexcept;

private:
    friend class detail::driver;
    struct world;
    explicit simulation(std::unique_ptr<world> w) noexcept;

    std::unique_ptr<world> world_;
};

}  // namespace testing
}  // namespace rondo::inline v0
