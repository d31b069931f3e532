// What must still happen when a signal ends the demo: the cursor comes back, redis-server goes, its directory too.
//
// The handlers do only what is async-signal-safe and then die of the same signal, so that the shell sees the
// truth. The ordinary way out does not come here: destructors do the same work.
#pragma once

#include <csignal>

#include <sys/types.h>

namespace demo::last_rites {

/// Installs the handlers for SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, and for SIGTSTP (Ctrl-Z).
void install();

void show_cursor_at_death(bool yes) noexcept;

/// At death: kills the child, if it is not 0, and waits for it; unlinks the files and removes the directory.
///
/// Errors: false when a text is too long to be kept; nothing is owed then. Lifetime: the texts are copied.
bool reap_at_death(pid_t child, const char* directory, const char* first_file, const char* second_file) noexcept;
void nothing_to_reap() noexcept;

/// Holds the handled signals back in its scope: around a fork, so that the child never runs these handlers.
class hold {
public:
    hold() noexcept;
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    ~hold();

    /// In a forked child: default actions and the former mask again, ready for exec.
    void release_in_child() const noexcept;

private:
    sigset_t before_{};
};

}  // namespace demo::last_rites
