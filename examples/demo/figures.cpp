#include "figures.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace demo {

namespace {

constexpr std::size_t file_limit = 8192;
using file_text = std::array<char, file_limit>;

// Plain read(2) into the stack: a stream would cost more memory than what is measured.
std::optional<std::string_view> read_file(const char* path, file_text& storage) noexcept {
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return std::nullopt;
    std::size_t used = 0;
    ssize_t n = 0;
    while (used < storage.size() && (n = ::read(fd, storage.data() + used, storage.size() - used)) > 0)
        used += static_cast<std::size_t>(n);
    ::close(fd);
    return std::string_view(storage.data(), used);
}

std::size_t leading_number(std::string_view text) noexcept {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    std::size_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::size_t own_status(std::string_view key) noexcept {
    file_text storage;
    const std::string_view text = read_file("/proc/self/status", storage).value_or("");
    const std::size_t at = text.find(key);
    return at == text.npos ? 0 : leading_number(text.substr(at + key.size()));
}

// The processes under `pid`; nothing when the kernel keeps no list of children.
std::optional<std::size_t> descendants(const std::string& pid, pid_t aside) {
    const std::string tasks = "/proc/" + pid + "/task";
    DIR* const directory = ::opendir(tasks.c_str());
    if (directory == nullptr) return 0;  // it ended meanwhile
    std::optional<std::size_t> total = 0;
    file_text storage;
    while (const dirent* const thread = ::readdir(directory)) {
        if (thread->d_name[0] == '.') continue;
        const auto children = read_file((tasks + "/" + thread->d_name + "/children").c_str(), storage);
        if (!children) {
            total.reset();
            break;
        }
        for (std::string_view rest = *children; !rest.empty();) {
            const std::string child(rest.substr(0, rest.find(' ')));
            rest.remove_prefix(std::min(rest.size(), child.size() + 1));
            if (child.empty() || leading_number(child) == static_cast<std::size_t>(aside)) continue;
            *total += 1 + descendants(child, aside).value_or(0);
        }
    }
    ::closedir(directory);
    return total;
}

}  // namespace

duration process_cpu() noexcept {
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

std::size_t peak_memory_kib() noexcept { return own_status("VmHWM:"); }

std::size_t thread_count() noexcept { return own_status("Threads:"); }

std::size_t process_count(pid_t aside) noexcept {
    const auto below = descendants("self", aside);
    return below ? *below + 1 : 0;
}

void figures::sample() noexcept {
    threads_ = std::max(threads_, thread_count());
    processes_ = std::max(processes_, process_count(aside_));
}

}  // namespace demo
