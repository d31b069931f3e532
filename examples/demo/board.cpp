#include "board.hpp"

#include <cassert>
#include <utility>

#include <fmt/format.h>

namespace demo {

std::string_view name(part p) noexcept {
    switch (p) {
        case part::timers: return "timers";
        case part::redis: return "redis";
        case part::http: return "http";
    }
    return "?";
}

std::string wait::message() const {
    if (state_ == state::waiting) return fmt::format("Promise {} is pending", number_);
    if (state_ == state::fulfilled) return fmt::format("Success: Promise {} is fulfilled!", number_);
    return fmt::format("Failure: Promise {} is rejected: {}", number_, reason_);
}

board::board(std::span<const part> parts, double scale, clock_function clock)
    : parts_(parts.begin(), parts.end()), clock_(clock) {
    waits_.reserve(parts.size() * waits_per_part);  // pointers to waits are handed out: never grows again
    settled_.reserve(waits_.capacity());
    for (const part p : parts)
        for (int n = 1; n <= waits_per_part; ++n) {
            const std::chrono::duration<double> promised(scale * (waits_per_part + 1 - n));
            waits_.emplace_back(p, n, std::chrono::round<duration>(promised));
        }
}

std::span<wait> board::of(part p) noexcept {
    for (std::size_t i = 0; i < waits_.size(); i += waits_per_part)
        if (waits_[i].part() == p) return waits().subspan(i, waits_per_part);
    return {};
}

void board::reject(wait& w, std::string reason) {
    w.reason_ = std::move(reason);
    settle(w, wait::state::rejected);
}

void board::settle(wait& w, wait::state s) {
    assert(!w.settled() && "a wait settles once");
    w.state_ = s;
    w.elapsed_ = elapsed();
    settled_.push_back(&w);
    for (observer* const o : observers_) o->settled(w);
}

}  // namespace demo
