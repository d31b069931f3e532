// Ctrl-C for a run: a message to its context at the first signal, the signal's own effect at the second.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include <rondo/detail/remote.hpp>

namespace rondo::inline v0::detail {

class inbox;

/// "SIGINT", or "signal 40".
std::string signal_name(int signal);

/// While it lives, the signals of `which` (bit n - 1 for signal n) belong to it. One at a time in a process.
class stop_signals {
public:
    /// Posts `message` to `to` when the first of them comes. Throws errc::busy when another run has them, errc::system
    /// errors for a signal that cannot be caught.
    stop_signals(std::uint64_t which, inbox& to, remote_node& message);
    ~stop_signals();
    stop_signals(const stop_signals&) = delete;
    stop_signals& operator=(const stop_signals&) = delete;

    /// The first that came.
    int caught() const noexcept;

private:
    struct former {
        int signal;
        struct sigaction action;
    };
    void restore() noexcept;

    std::vector<former> former_;
};

}  // namespace rondo::inline v0::detail
