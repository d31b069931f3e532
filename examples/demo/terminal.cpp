#include "terminal.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace demo {

namespace {

std::string_view environment(const char* name) noexcept {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

int first_failure = 0;

constexpr int least_columns = 40, least_rows = 8;

}  // namespace

bool terminal::can_draw() const noexcept {
    const std::string_view kind = environment("TERM");
    if (::isatty(fd_) == 0 || kind.empty() || kind == "dumb") return false;
    const size s = current_size();
    return s.columns >= least_columns && s.rows >= least_rows;
}

terminal::size terminal::current_size() const noexcept {
    winsize w{};
    if (::ioctl(fd_, TIOCGWINSZ, &w) != 0 || w.ws_col == 0 || w.ws_row == 0) return {80, 24};
    return {w.ws_col, w.ws_row};
}

bool terminal::speaks_utf8() noexcept {
    for (const char* const variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string_view value = environment(variable);
        if (value.empty()) continue;  // the first that is set decides
        return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
    }
    return false;
}

bool terminal::likes_colour() noexcept { return environment("NO_COLOR").empty(); }

void terminal::write(std::string_view text) const noexcept {
    while (!text.empty()) {
        const ssize_t n = ::write(fd_, text.data(), text.size());
        if (n > 0) {
            text.remove_prefix(static_cast<std::size_t>(n));
        } else if (n < 0 && errno == EAGAIN) {  // somebody who shares the terminal made it non-blocking
            pollfd p{fd_, POLLOUT, 0};
            ::poll(&p, 1, -1);
        } else if (n == 0 || errno != EINTR) {
            if (fd_ == STDOUT_FILENO && first_failure == 0) first_failure = n == 0 ? EIO : errno;
            return;
        }
    }
}

int terminal::lost_output() noexcept { return first_failure; }

void keep_standard_descriptors() noexcept {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
        // The lowest free number is this one, since those below are open.
        static_cast<void>(::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY));
    }
}

}  // namespace demo
