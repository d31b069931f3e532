#include "redis_child.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "last_rites.hpp"

namespace demo {

namespace {

using namespace std::chrono_literals;
using monotonic = std::chrono::steady_clock;

void pause(std::chrono::nanoseconds d) noexcept {
    const timespec t{0, static_cast<long>(d.count())};
    ::nanosleep(&t, nullptr);
}

std::string find_on_path(std::string_view program) {
    const char* const path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
    while (!rest.empty()) {
        const std::size_t colon = rest.find(':');
        std::string candidate(rest.substr(0, colon));
        candidate.append("/").append(program);
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
        rest = colon == rest.npos ? std::string_view() : rest.substr(colon + 1);
    }
    return {};
}

// In Debian redis-tools brings the server under this second name; the executable looks at argv[0] to know which it is.
std::string find_server() {
    for (const std::string_view program : {"redis-server", "redis-check-rdb"})
        if (std::string found = find_on_path(program); !found.empty()) return found;
    throw std::runtime_error(
        "no redis-server found: install redis-tools (apt-get install redis-tools), "
        "or use --redis URL, --only timers or --only http");
}

// True when a server accepts on this socket and answers PING.
bool answers(const std::string& socket_path) noexcept {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size() + 1);  // the length was checked
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    constexpr std::string_view ping = "PING\r\n", pong = "+PONG";
    const timeval patience{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::array<char, 16> reply{};
    ssize_t got = -1;
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::send(fd, ping.data(), ping.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(ping.size()))
        got = ::recv(fd, reply.data(), reply.size(), 0);
    ::close(fd);
    return got > 0 && std::string_view(reply.data(), static_cast<std::size_t>(got)).starts_with(pong);
}

std::string last_line_of(const std::string& file) {
    std::array<char, 4096> tail{};
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    ::lseek(fd, -static_cast<off_t>(tail.size()), SEEK_END);  // fails on a short file: then from its start
    const ssize_t n = ::read(fd, tail.data(), tail.size());
    ::close(fd);
    std::string_view text(tail.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

redis_child::redis_child() {
    const std::string program = find_server();
    make_directory();
    try {
        launch(program);
        wait_until_it_answers();
    } catch (...) {
        stop();
        throw;
    }
}

redis_child::~redis_child() { stop(); }

void redis_child::make_directory() {
    const char* const wanted = std::getenv("TMPDIR");
    std::string name = wanted != nullptr && *wanted == '/' ? wanted : "/tmp";
    constexpr std::size_t longest = 80;  // the socket's path must fit into a sockaddr_un (108)
    if (name.size() > longest - 20) name = "/tmp";
    name += "/rondo-demo-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
        throw std::runtime_error(fmt::format("no private directory {}: {}", name, std::strerror(errno)));
    directory_ = std::move(name);
    socket_ = directory_ + "/s";
    log_ = directory_ + "/log";
    last_rites::reap_at_death(0, directory_.c_str(), socket_.c_str(), log_.c_str());
}

void redis_child::launch(const std::string& program) {
    const std::array<const char*, 20> arguments{"redis-server",
                                                "--port",
                                                "0",
                                                "--unixsocket",
                                                socket_.c_str(),
                                                "--unixsocketperm",
                                                "700",
                                                "--save",
                                                "",
                                                "--appendonly",
                                                "no",
                                                "--hz",
                                                "500",
                                                "--dynamic-hz",
                                                "no",
                                                "--daemonize",
                                                "no",
                                                "--logfile",
                                                log_.c_str(),
                                                nullptr};
    const pid_t parent = ::getpid();
    const last_rites::hold signals;
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error(fmt::format("redis-server cannot be forked: {}", std::strerror(errno)));
    if (child == 0) {  // only async-signal-safe calls from here to exec
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(127);  // the parent died before the line above
        ::setpgid(0, 0);                          // Ctrl-C is for the demo, which stops us itself
        signals.release_in_child();
        const int null = ::open("/dev/null", O_RDONLY);
        const int log = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(null, STDIN_FILENO);
        ::dup2(log, STDOUT_FILENO);
        ::dup2(log, STDERR_FILENO);
        ::execv(program.c_str(), const_cast<char* const*>(arguments.data()));
        ::_exit(127);
    }
    pid_ = child;
    last_rites::reap_at_death(pid_, directory_.c_str(), socket_.c_str(), log_.c_str());
}

void redis_child::wait_until_it_answers() {
    const auto deadline = monotonic::now() + 10s;
    while (!answers(socket_)) {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) == pid_) {
            pid_ = 0;
            give_up("ended at once");
        }
        if (monotonic::now() > deadline) give_up("does not answer within 10 s");
        pause(2ms);
    }
}

void redis_child::give_up(const std::string& what) const {
    const std::string said = last_line_of(log_);
    throw std::runtime_error(fmt::format("redis-server {}{}{}", what, said.empty() ? "" : "; its last words: ", said));
}

void redis_child::stop() noexcept {
    if (pid_ > 0) {
        ::kill(pid_, SIGTERM);
        const auto deadline = monotonic::now() + 2s;
        while (::waitpid(pid_, nullptr, WNOHANG) == 0) {
            if (monotonic::now() > deadline) ::kill(pid_, SIGKILL);
            pause(1ms);
        }
        pid_ = 0;
    }
    if (directory_.empty()) return;
    ::unlink(socket_.c_str());
    ::unlink(log_.c_str());
    ::rmdir(directory_.c_str());
    directory_.clear();
    last_rites::nothing_to_reap();
}

}  // namespace demo
