#include "open_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rondo::inline v0 {
namespace testing {

bool open_file::readable() const noexcept {
    switch (is) {
        case kind::socket: return true;  // fails at once
        case kind::listener: return !backlog.empty();
        case kind::stream: return !incoming.empty() || ended;
        case kind::file: return true;
    }
    return true;
}

std::size_t open_file::room() const noexcept {
    const std::shared_ptr<open_file> to = other.lock();
    return to == nullptr || to->incoming.size() >= to->capacity ? 0 : to->capacity - to->incoming.size();
}

bool open_file::writable() const noexcept {
    if (is != kind::stream) return true;
    return write_shut || other.expired() || room() != 0;
}

int open_file::receive(char* into, std::size_t size) {
    if (is != kind::stream) return -ENOTCONN;
    if (incoming.empty()) {
        if (!reset) return 0;
        reset = false;
        return -ECONNRESET;
    }
    const std::size_t n = std::min(size, incoming.size());
    std::memcpy(into, incoming.data(), n);
    incoming.erase(0, n);
    return static_cast<int>(n);
}

int open_file::send(const char* from, std::size_t size) {
    if (is != kind::stream) return -ENOTCONN;
    const std::shared_ptr<open_file> to = other.lock();
    if (write_shut || to == nullptr) return -EPIPE;
    const std::size_t n = std::min(size, room());
    to->incoming.append(from, n);
    return static_cast<int>(n);
}

int open_file::read_at(std::size_t offset, char* into, std::size_t size) const {
    if (offset >= contents.size()) return 0;
    const std::size_t n = std::min(size, contents.size() - offset);
    std::memcpy(into, contents.data() + offset, n);
    return static_cast<int>(n);
}

int open_file::write_at(std::size_t offset, const char* from, std::size_t size) {
    if (contents.size() < offset + size) contents.resize(offset + size);
    std::copy_n(from, size, contents.begin() + static_cast<std::ptrdiff_t>(offset));
    return static_cast<int>(size);
}

void open_file::shut_write() {
    write_shut = true;
    if (const std::shared_ptr<open_file> to = other.lock()) to->ended = true;
}

void open_file::let_go() {
    if (const std::shared_ptr<open_file> to = other.lock()) {
        to->ended = true;
        to->reset = to->reset || !incoming.empty();
    }
    other.reset();
    for (const std::shared_ptr<open_file>& waiting : backlog) waiting->let_go();
    backlog.clear();
}

}  // namespace testing
}  // namespace rondo::inline v0
