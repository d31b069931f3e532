#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <rondo/export.hpp>

namespace rondo::inline v0 {
namespace testing {

/// How often each cell of the table in docs/design/cancellation.md was seen: what a job's wait was in, what happened,
/// what became of it.
class RONDO_API leaf_coverage {
public:
    enum class cell : unsigned char {
        idle_armed,        // a wait began
        idle_at_once,      // a wait had its result at once
        idle_cancelled,    // a cancel found the job running: it is only marked
        marked_refused,    // a cancelled job's wait started nothing
        marked_cancelled,  // a second cancel of a job that does not wait
        armed_done,        // a result came
        armed_ended,       // a cancel ended the wait at once
        armed_asked,       // a cancel asked for its end
        asked_done,        // ... and a result came nevertheless
        asked_ended,       // ... and it ended as cancelled
        asked_cancelled,   // a second cancel while that was awaited
        done_delivered,    // the result reached the job
        done_cancelled,    // a cancel came between the result and its delivery
        ended_thrown,      // the job unwinds
        ended_cancelled,   // a second cancel before it does
    };
    static constexpr std::size_t cells = 15;

    std::uint64_t count(cell c) const noexcept { return counts_[static_cast<std::size_t>(c)]; }
    void add(cell c) noexcept { ++counts_[static_cast<std::size_t>(c)]; }
    void add(const leaf_coverage& other) noexcept {
        for (std::size_t i = 0; i < cells; ++i) counts_[i] += other.counts_[i];
    }
    /// The names of the cells that were never seen, with blanks between; empty when all were. Builds without assertions
    /// see nothing.
    std::string missing() const;

private:
    std::array<std::uint64_t, cells> counts_{};
};

}  // namespace testing
}  // namespace rondo::inline v0
