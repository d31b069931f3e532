#include "demo/redis_child.hpp"

#include <csignal>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace {

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// Puts an environment variable back.
class environment {
public:
    environment(const char* name, const char* value) : name_(name) {
        if (const char* const before = std::getenv(name)) before_ = before;
        ::setenv(name, value, 1);
    }
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;
    ~environment() {
        if (before_) ::setenv(name_, before_->c_str(), 1);
        else ::unsetenv(name_);
    }

private:
    const char* name_;
    std::optional<std::string> before_;
};

std::string message_of_start() {
    try {
        const demo::redis_child child;
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "it started";
}

}  // namespace

TEST_CASE("the server lives in a private directory for as long as the object, and leaves nothing behind") {
    std::string directory;
    pid_t pid = 0;
    {
        const demo::redis_child child;
        directory = child.directory();
        pid = child.pid();
        CHECK(child.url() == "unix://" + directory + "/s");
        struct stat s{};
        REQUIRE(::stat(directory.c_str(), &s) == 0);
        CHECK((s.st_mode & 0777) == 0700);
        CHECK(::kill(pid, 0) == 0);
        CHECK(::getpgid(pid) == pid);  // Ctrl-C does not reach it
    }
    CHECK(::kill(pid, 0) == -1);
    CHECK_FALSE(exists(directory));
}

TEST_CASE("two servers at once do not meet") {
    const demo::redis_child first, second;
    CHECK(first.directory() != second.directory());
}

TEST_CASE("a missing server binary is one clear line that says what to install") {
    const environment path("PATH", "/nonexistent");
    CHECK(message_of_start().find("no redis-server found: install redis-tools") == 0);
}

TEST_CASE("a server that ends at once is reported with its last words, and its directory is gone") {
    char directory[] = "/tmp/rondo-demo-test-XXXXXX";
    REQUIRE(::mkdtemp(directory) != nullptr);
    const std::string fake = std::string(directory) + "/redis-server";
    const int fd = ::open(fake.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    const std::string script = "#!/bin/sh\necho out of luck\n";
    REQUIRE(::write(fd, script.data(), script.size()) == static_cast<ssize_t>(script.size()));
    ::close(fd);
    {
        const environment path("PATH", directory);
        const environment tmp("TMPDIR", directory);
        CHECK(message_of_start() == "redis-server ended at once; its last words: out of luck");
    }
    ::unlink(fake.c_str());
    CHECK(::rmdir(directory) == 0);  // it fails when anything is left inside
}
