#include "last_rites.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

namespace demo::last_rites {

namespace {

using path = std::array<char, 128>;

// Written by the main thread with the signals blocked, read by the handler.
struct duties {
    bool show_cursor = false, reap = false;
    pid_t child = 0;
    path directory{}, first_file{}, second_file{};
};
duties owed;

constexpr std::array fatal{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

sigset_t handled_signals() noexcept {
    sigset_t set;
    sigemptyset(&set);
    for (const int s : fatal) sigaddset(&set, s);
    sigaddset(&set, SIGTSTP);
    return set;
}

void show_cursor() noexcept {
    static constexpr char sequence[] = "\x1b[?25h\n";
    if (!owed.show_cursor) return;
    [[maybe_unused]] const ssize_t n = ::write(STDOUT_FILENO, sequence, sizeof sequence - 1);
}

void reap() noexcept {
    if (!owed.reap) return;
    if (owed.child > 0) {
        ::kill(owed.child, SIGKILL);  // it has nothing to save
        while (::waitpid(owed.child, nullptr, 0) < 0 && errno == EINTR) {}
    }
    ::unlink(owed.first_file.data());
    ::unlink(owed.second_file.data());
    ::rmdir(owed.directory.data());
}

extern "C" void on_fatal(int signal) {
    show_cursor();
    reap();
    // The handler was installed with SA_RESETHAND: the next one is the default action, and ends the process.
    ::raise(signal);
}

extern "C" void on_stop(int) {
    const int saved = errno;
    show_cursor();
    ::raise(SIGSTOP);  // the next frame hides the cursor again
    errno = saved;
}

bool copy(path& to, const char* from) noexcept {
    const std::size_t n = std::strlen(from);
    if (n >= to.size()) return false;
    std::memcpy(to.data(), from, n + 1);
    return true;
}

}  // namespace

void install() {
    struct sigaction act{};
    act.sa_mask = handled_signals();
    act.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    act.sa_handler = on_fatal;
    for (const int s : fatal) {
        struct sigaction before{};
        ::sigaction(s, nullptr, &before);
        // What the parent had ignored (nohup) stays ignored.
        if (before.sa_handler != SIG_IGN || s == SIGPIPE) ::sigaction(s, &act, nullptr);
    }
    act.sa_flags = SA_RESTART;
    act.sa_handler = on_stop;
    ::sigaction(SIGTSTP, &act, nullptr);
}

void show_cursor_at_death(bool yes) noexcept {
    const hold quiet;
    owed.show_cursor = yes;
}

bool reap_at_death(pid_t child, const char* directory, const char* first_file, const char* second_file) noexcept {
    const hold quiet;
    if (!copy(owed.directory, directory) || !copy(owed.first_file, first_file) || !copy(owed.second_file, second_file))
        return owed.reap = false;
    owed.child = child;
    return owed.reap = true;
}

void nothing_to_reap() noexcept {
    const hold quiet;
    owed.reap = false;
}

hold::hold() noexcept {
    const sigset_t set = handled_signals();
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
}

hold::~hold() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void hold::release_in_child() const noexcept {
    struct sigaction act{};
    act.sa_handler = SIG_DFL;
    for (const int s : fatal) ::sigaction(s, &act, nullptr);
    ::sigaction(SIGTSTP, &act, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace demo::last_rites
