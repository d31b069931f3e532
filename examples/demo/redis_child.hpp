// A redis-server of our own, for as long as the object lives.
#pragma once

#include <string>

#include <sys/types.h>

namespace demo {

/// Starts redis-server as a child on a unix socket in a private directory, without persistence.
///
/// No service of the machine is touched. The child is stopped by its pid and the directory removed by the
/// destructor, by a signal that ends the demo (last_rites.hpp), and, should the demo be killed outright, by the
/// kernel (the child at least).
class redis_child {
public:
    /// Returns when the server answers.
    /// Errors: std::runtime_error, one line, when no server binary is found or it does not answer within ten seconds.
    redis_child();
    redis_child(const redis_child&) = delete;
    redis_child& operator=(const redis_child&) = delete;
    ~redis_child();

    /// What redis::connect takes.
    std::string url() const { return "unix://" + socket_; }
    pid_t pid() const noexcept { return pid_; }
    const std::string& directory() const noexcept { return directory_; }

private:
    void make_directory();
    void launch(const std::string& program);
    void wait_until_it_answers();
    [[noreturn]] void give_up(const std::string& what) const;
    void stop() noexcept;

    std::string directory_, socket_, log_;
    pid_t pid_ = 0;
};

}  // namespace demo
