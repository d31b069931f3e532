// A child process and its standard output, for tests against real programs.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace children {

/// Runs from the constructor until its end, or until it is destroyed, which kills it. Every call blocks.
class child {
public:
    explicit child(std::vector<std::string> command) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        std::vector<char*> words;
        for (std::string& word : command) words.push_back(word.data());
        words.push_back(nullptr);
        const int failed = ::posix_spawnp(&pid_, words[0], &actions, nullptr, words.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        out_ = ends[0];
        if (failed == 0) return;
        ::close(out_);
        throw std::runtime_error("this test needs the program " + command[0]);
    }
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    ~child() {
        if (pid_ > 0) ::kill(pid_, SIGKILL);
        wait();
        ::close(out_);
    }

    /// The next line, or what there is at the end.
    std::string line() {
        std::string s;
        char c = 0;
        while (::read(out_, &c, 1) == 1 && c != '\n') s += c;
        return s;
    }
    /// Everything it says until its end.
    std::string rest() {
        std::string s;
        char buffer[4096];
        ssize_t n = ::read(out_, buffer, sizeof buffer);
        while (n > 0) {
            s.append(buffer, static_cast<std::size_t>(n));
            n = ::read(out_, buffer, sizeof buffer);
        }
        wait();
        return s;
    }

private:
    void wait() {
        if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }

    pid_t pid_ = -1;
    int out_ = -1;
};

}  // namespace children
