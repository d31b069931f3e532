// A redis-server of the tests' own: a child process on a private unix socket, without persistence.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace redis_test {

/// Debian's redis-tools brings the server's executable under the name redis-check-rdb; argv[0] decides what it is.
class real_server {
public:
    real_server() {
        char pattern[] = "/tmp/rondo-redis-XXXXXX";
        if (::mkdtemp(pattern) == nullptr) throw std::runtime_error("mkdtemp failed");
        folder_ = pattern;
        socket_ = folder_ + "/s";
        try {
            start();
            wait_until_it_listens();
        } catch (...) {
            stop();
            throw;
        }
    }
    real_server(const real_server&) = delete;
    real_server& operator=(const real_server&) = delete;
    ~real_server() { stop(); }

    std::string url() const { return "unix:" + socket_; }

private:
    void start() {
        pid_ = ::fork();
        if (pid_ < 0) throw std::runtime_error("fork failed");
        if (pid_ > 0) return;
        // What runs here is the child of a process that may have threads: system calls only.
        const int null = ::open("/dev/null", O_RDWR);
        ::dup2(null, 0);
        ::dup2(null, 1);
        ::dup2(null, 2);
        const char* const argv[] = {"redis-server",
                                    "--port",
                                    "0",
                                    "--unixsocket",
                                    socket_.c_str(),
                                    "--save",
                                    "",
                                    "--hz",
                                    "500",
                                    "--dynamic-hz",
                                    "no",
                                    "--appendonly",
                                    "no",
                                    nullptr};
        for (const char* program : {"/usr/bin/redis-server", "/usr/bin/redis-check-rdb"})
            ::execv(program, const_cast<char* const*>(argv));
        ::_exit(127);
    }

    void wait_until_it_listens() const {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, socket_.c_str(), socket_.size() + 1);
        for (int tries = 0; tries < 2000; ++tries) {
            const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            const int failed = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
            ::close(fd);
            if (failed == 0) return;
            int status = 0;
            if (::waitpid(pid_, &status, WNOHANG) == pid_) throw std::runtime_error("redis-server does not start");
            const timespec pause{0, 5'000'000};
            ::nanosleep(&pause, nullptr);
        }
        throw std::runtime_error("redis-server does not listen within 10 s");
    }

    void stop() noexcept {
        if (pid_ > 0) {
            ::kill(pid_, SIGTERM);
            while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
        }
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::string folder_, socket_;
    pid_t pid_ = -1;
};

}  // namespace redis_test
