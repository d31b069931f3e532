// How a piece of code ends that may take the whole process with it.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <string>

#include "support/catch.hpp"

namespace rondo::testing_support {

struct ending {
    int status = 0;
    std::string said;
    bool aborted() const { return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT; }
    bool succeeded() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
    bool says(const std::string& part) const { return said.find(part) != said.npos; }
};

/// Runs `f` in a process of its own, which may die; it succeeds if f gives true.
inline ending in_child(bool (*f)()) {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        ::signal(SIGABRT, SIG_DFL);
        ::alarm(30);
        ::dup2(ends[1], STDERR_FILENO);
        ::_exit(f() ? 0 : 1);
    }
    ::close(ends[1]);
    ending e;
    char buffer[512];
    for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        e.said.append(buffer, static_cast<std::size_t>(n));
    ::close(ends[0]);
    ::waitpid(child, &e.status, 0);
    return e;
}

}  // namespace rondo::testing_support
