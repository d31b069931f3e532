// The waits of one run: what each promised, and when and in which order they settled.
#pragma once

#include <array>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

using duration = std::chrono::nanoseconds;
using time_point = std::chrono::steady_clock::time_point;
using clock_function = time_point (*)();

inline double seconds(duration d) noexcept { return std::chrono::duration<double>(d).count(); }

enum class part : unsigned char { timers, redis, http };
inline constexpr std::size_t part_count = 3;
std::string_view name(part p) noexcept;

/// One wait. Number n of a part promises (11 - n) seconds, scaled: 10 settles first, 1 last.
class wait {
public:
    enum class state : unsigned char { waiting, fulfilled, rejected };

    wait(demo::part p, int number, duration promised) noexcept : part_(p), number_(number), promised_(promised) {}

    demo::part part() const noexcept { return part_; }
    int number() const noexcept { return number_; }
    duration promised() const noexcept { return promised_; }
    bool settled() const noexcept { return state_ != state::waiting; }
    bool fulfilled() const noexcept { return state_ == state::fulfilled; }
    /// From the begin of the run to its settling.
    duration elapsed() const noexcept { return elapsed_; }
    /// Why it was rejected.
    const std::string& reason() const noexcept { return reason_; }

    /// `Success: Promise 10 is fulfilled!`, or how it failed.
    std::string message() const;

private:
    friend class board;

    demo::part part_;
    state state_ = state::waiting;
    int number_;
    duration promised_, elapsed_{};
    std::string reason_;
};

/// Is told of each wait at the moment it settles.
class observer {
public:
    virtual ~observer() = default;
    virtual void settled(const wait& w) = 0;
};

class board {
public:
    static constexpr int waits_per_part = 10;

    /// `clock` is read at begin and at each settling; a test that runs under a virtual clock passes that.
    board(std::span<const part> parts, double scale, clock_function clock = &std::chrono::steady_clock::now);
    board(const board&) = delete;
    board& operator=(const board&) = delete;

    /// Lifetime: the observer outlives the board's last settling.
    void observe(observer& o) { observers_.push_back(&o); }

    /// Now: the first wait is about to be armed.
    void begin() noexcept { began_ = clock_(); }
    time_point began() const noexcept { return began_; }
    /// Since begin().
    duration elapsed() const noexcept { return clock_() - began_; }

    void fulfil(wait& w) { settle(w, wait::state::fulfilled); }
    void reject(wait& w, std::string reason);

    std::span<wait> waits() noexcept { return waits_; }
    std::span<const wait> waits() const noexcept { return waits_; }
    std::span<wait> of(part p) noexcept;
    std::span<const part> parts() const noexcept { return parts_; }
    /// In the order of settling.
    std::span<const wait* const> settled() const noexcept { return settled_; }
    bool complete() const noexcept { return settled_.size() == waits_.size(); }
    /// From begin() to the last settling.
    duration wall() const noexcept { return settled_.empty() ? duration(0) : settled_.back()->elapsed(); }

private:
    void settle(wait& w, wait::state s);

    std::vector<part> parts_;
    std::vector<wait> waits_;
    std::vector<const wait*> settled_;
    std::vector<observer*> observers_;
    clock_function clock_;
    time_point began_{};
};

}  // namespace demo
