#include "support/conservation.hpp"

#include <dirent.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <vector>

#include <rondo/detail/counters.hpp>
#include <rondo/detail/frame_pool.hpp>

namespace rondo::testing_support {

namespace {

std::vector<int> open_fds() {
    std::vector<int> fds;
    DIR* const directory = ::opendir("/proc/self/fd");
    if (directory == nullptr) return fds;
    while (const dirent* const entry = ::readdir(directory)) {
        const std::string_view name = entry->d_name;
        int fd = -1;
        const auto [end, ec] = std::from_chars(name.data(), name.data() + name.size(), fd);
        if (ec == std::errc() && end == name.data() + name.size() && fd != ::dirfd(directory)) fds.push_back(fd);
    }
    ::closedir(directory);
    std::sort(fds.begin(), fds.end());
    return fds;
}

/// "7 (socket:[1234])"
std::string describe_fd(int fd) {
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    std::array<char, 256> target{};
    const ssize_t n = ::readlink(link.c_str(), target.data(), target.size());
    const std::string_view what(target.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    return std::to_string(fd) + " (" + std::string(what) + ")";
}

struct state {
    std::vector<int> fds = open_fds();
    std::size_t frames = detail::count_frames().live;
    detail::leak_counts left = detail::count_leaks();
};

const state& at_start() {
    static const state s;
    return s;
}
[[maybe_unused]] const state& taken_before_main = at_start();

void complain(std::string& why, std::size_t before, std::size_t now, const char* what) {
    if (before == now) return;
    why += std::to_string(now) + " " + what + ", " + std::to_string(before) + " at the start; ";
}

}  // namespace

bool conserved(std::string& why) {
    why.clear();
    const state& before = at_start();
    const state now;
    complain(why, before.frames, now.frames, "live frames");
    complain(why, before.left.timers, now.left.timers, "armed timers left by contexts");
    complain(why, before.left.jobs, now.left.jobs, "jobs left by contexts");
    complain(why, before.left.buffers, now.left.buffers, "receive buffers still out");
    complain(why, before.left.permits, now.left.permits, "locks or permits still held");

    std::vector<int> extra;
    std::set_difference(now.fds.begin(), now.fds.end(), before.fds.begin(), before.fds.end(),
                        std::back_inserter(extra));
    std::string list;
    for (const int fd : extra) list += (list.empty() ? "" : ", ") + describe_fd(fd);
    if (!extra.empty()) why += "open fds: " + list + "; ";
    if (!why.empty()) why.resize(why.size() - 2);
    return why.empty();
}

}  // namespace rondo::testing_support
