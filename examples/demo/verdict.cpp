#include "verdict.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace demo {

namespace {

// Server clocks count whole milliseconds: a wait may seem that much too short from outside.
constexpr duration clock_step = std::chrono::milliseconds(1);

void add_too_early(std::vector<std::string>& out, const board& b) {
    for (const wait* const w : b.settled())
        if (w->fulfilled() && w->elapsed() + clock_step < w->promised())
            out.push_back(fmt::format("{} {}: expected to settle after {:.3f} s, not before, but it took {:.3f} s",
                                      name(w->part()), w->number(), seconds(w->promised()), seconds(w->elapsed())));
}

}  // namespace

duration limits::wall_limit(const board& b, const std::array<duration, part_count>& grain) noexcept {
    using namespace std::chrono_literals;
    duration longest{};
    for (const wait& w : b.waits()) longest = std::max(longest, w.promised());
    const bool timers_alone = b.parts().size() == 1 && b.parts().front() == part::timers;
    // A grain up to the 2 ms of our own redis-server is within the 50 ms.
    const duration coarsest = *std::max_element(grain.begin(), grain.end());
    return longest + (timers_alone ? 20ms : 50ms) + (coarsest > 2ms ? coarsest : 0ns);
}

std::string order_of(const board& b, part p) {
    std::string text;
    for (const wait* const w : b.settled())
        if (w->part() == p) text += fmt::format("{}{}", text.empty() ? "" : " ", w->number());
    return text;
}

bool in_order(const board& b, part p, duration grain) {
    duration longest_so_far{};
    for (const wait* const w : b.settled()) {
        if (w->part() != p) continue;
        if (w->promised() + grain < longest_so_far) return false;
        longest_so_far = std::max(longest_so_far, w->promised());
    }
    return true;
}

duration latest(const board& b, part p) {
    duration most = duration::min();
    for (const wait* const w : b.settled())
        if (w->part() == p) most = std::max(most, w->elapsed() - w->promised());
    return most == duration::min() ? duration(0) : most;
}

std::vector<std::string> complaints(const board& b, const limits& l) {
    std::vector<std::string> out;
    for (const wait& w : b.waits())
        if (!w.fulfilled())
            out.push_back(fmt::format("{} {}: expected to be fulfilled, but: {}", name(w.part()), w.number(),
                                      w.settled() ? w.reason() : "it never settled"));
    for (const part p : b.parts())
        if (!in_order(b, p, l.grain_of(p)))
            out.push_back(
                fmt::format("{}: expected the order 10 9 8 7 6 5 4 3 2 1, but it was {}", name(p), order_of(b, p)));
    if (!l.judge_time) return out;
    add_too_early(out, b);
    if (b.wall() > l.wall)
        out.push_back(
            fmt::format("wall: expected at most {:.3f} s, but it took {:.4f} s", seconds(l.wall), seconds(b.wall())));
    return out;
}

}  // namespace demo
