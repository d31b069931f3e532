// The machine behind a simulated run: descriptors, addresses, the clock, and who decides.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include <rondo/detail/sys.hpp>
#include <rondo/testing/faults.hpp>
#include <rondo/virtual_clock.hpp>

#include "chooser.hpp"
#include "leaf_table.hpp"
#include "open_file.hpp"

namespace rondo::inline v0 {
namespace testing {

class simulated_kernel final : public rondo::detail::sys {
public:
    simulated_kernel(chooser& c, const faults& f) : choices(c), fault(f) {}

    chooser& choices;
    const faults fault;
    virtual_clock clock;
    leaf_table leaves;

    // The table of calls.
    rondo::detail::ring* open_ring(unsigned entries) override;
    rondo::detail::leaf_watch* watch() noexcept override { return &leaves; }
    int socket(int family, int type) noexcept override;
    int set_option(int fd, int level, int name, int value) noexcept override;
    int bind(int fd, const sockaddr* address, unsigned size) noexcept override;
    int listen(int fd, int backlog) noexcept override;
    int connect(int fd, const sockaddr* address, unsigned size) noexcept override;
    int local_address(int fd, sockaddr* address, unsigned& size) noexcept override;
    int peer_address(int fd, sockaddr* address, unsigned& size) noexcept override;
    int shutdown(int fd, int how) noexcept override;
    int close(int fd) noexcept override;
    int is_socket(const char* path) noexcept override;
    int unlink(const char* path) noexcept override;

    // What operations on a ring need.
    static constexpr int first_fd = 1'000'000;  // real descriptors are smaller
    int add(std::shared_ptr<open_file> f);
    /// nullptr when it is not open, which is a violation if it was once.
    std::shared_ptr<open_file> find(int fd);
    /// Whether a connect has a result now: a listener with room, or nobody who listens.
    bool can_connect(const std::string& address) const;
    int connect(open_file& from, const std::string& address);
    int accept(open_file& listener);
    /// Two ends of a connection.
    void join(const std::shared_ptr<open_file>& a, const std::shared_ptr<open_file>& b) const;

    // What is checked in the end.
    std::size_t open_descriptors() const noexcept { return files_.size(); }
    const std::string& violations() const noexcept { return violations_; }
    void violation(const std::string& what);

private:
    std::shared_ptr<open_file> listener_at(const std::string& address) const;

    std::map<int, std::shared_ptr<open_file>> files_;
    int next_fd_ = first_fd;  // never used twice, so that a stale one is found out
    std::map<std::string, std::weak_ptr<open_file>> bound_;
    std::set<std::string> paths_;  // of unix sockets
    unsigned short next_port_ = 40'000;
    std::string violations_;
};

}  // namespace testing
}  // namespace rondo::inline v0
