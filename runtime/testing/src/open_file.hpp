// What a descriptor of the simulated machine stands for, and what can be done to it at once. Results are counts,
// descriptors, or -errno; each function has its real counterpart's rules.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

namespace rondo::inline v0 {
namespace testing {

struct open_file {
    enum class kind : unsigned char { socket, listener, stream, file };

    kind is = kind::socket;
    int family = 0;
    std::string local;  // addresses, as the kernel keeps them
    std::string peer;
    unsigned in_flight = 0;  // operations on it

    // A connection's end.
    std::weak_ptr<open_file> other;
    std::string incoming;
    std::size_t capacity = 0;  // of incoming
    bool ended = false;        // nothing more will come in
    bool reset = false;        // ... because the other end was closed with bytes unread
    bool write_shut = false;

    // A listener.
    std::deque<std::shared_ptr<open_file>> backlog;
    std::size_t backlog_limit = 0;

    // A file.
    std::string contents;

    bool readable() const noexcept;
    bool writable() const noexcept;
    /// How many bytes could be moved now: a receive, a send. 0 when it would wait or fail.
    std::size_t receivable() const noexcept { return incoming.size(); }
    std::size_t room() const noexcept;

    /// To be called when readable() or writable(); moves at most `size` bytes.
    int receive(char* into, std::size_t size);
    int send(const char* from, std::size_t size);
    int read_at(std::size_t offset, char* into, std::size_t size) const;
    int write_at(std::size_t offset, const char* from, std::size_t size);

    void shut_write();
    /// The last descriptor is gone.
    void let_go();
};

}  // namespace testing
}  // namespace rondo::inline v0
