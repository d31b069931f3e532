#include <rondo/redis/encoder.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace rondo::inline v0 {
namespace redis {

encoder::encoder(std::string_view name, std::size_t arguments) {
    put_header('*', arguments + 1);
    add(name);
}

encoder::encoder(const encoder& other) { put(other.encoded().text()); }

encoder::encoder(encoder&& other) noexcept
    : size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, inside)),
      heap_(std::move(other.heap_)) {
    if (!heap_) std::memcpy(inline_.data(), other.inline_.data(), size_);
}

encoder& encoder::operator=(encoder other) noexcept {
    size_ = other.size_;
    capacity_ = std::exchange(other.capacity_, inside);
    heap_ = std::move(other.heap_);
    if (!heap_) std::memcpy(inline_.data(), other.inline_.data(), size_);
    return *this;
}

char* encoder::grow(std::size_t more) {
    if (size_ + more > capacity_) {
        const std::size_t capacity = std::max(size_ + more, 2 * capacity_);
        auto larger = std::make_unique_for_overwrite<char[]>(capacity);
        std::memcpy(larger.get(), data(), size_);
        heap_ = std::move(larger);
        capacity_ = capacity;
    }
    char* at = (heap_ ? heap_.get() : inline_.data()) + size_;
    size_ += more;
    return at;
}

void encoder::put(std::string_view text) {
    if (!text.empty()) std::memcpy(grow(text.size()), text.data(), text.size());
}

void encoder::put_header(char type, std::size_t n) {
    char buffer[24];
    buffer[0] = type;
    char* end = std::to_chars(buffer + 1, buffer + sizeof buffer - 2, n).ptr;
    *end++ = '\r';
    *end++ = '\n';
    put({buffer, static_cast<std::size_t>(end - buffer)});
}

encoder& encoder::add(std::string_view argument) {
    put_header('$', argument.size());
    char* at = grow(argument.size() + 2);
    if (!argument.empty()) std::memcpy(at, argument.data(), argument.size());
    at[argument.size()] = '\r';
    at[argument.size() + 1] = '\n';
    return *this;
}

template <class N>
encoder& encoder::add_number(N n) {
    char buffer[32];
    const char* end = std::to_chars(buffer, buffer + sizeof buffer, n).ptr;
    return add(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
}

encoder& encoder::add(std::int64_t argument) { return add_number(argument); }
encoder& encoder::add(std::uint64_t argument) { return add_number(argument); }
// A NaN's sign bit would make it "-nan", which no server reads.
encoder& encoder::add(double argument) { return std::isnan(argument) ? add("nan") : add_number(argument); }
encoder& encoder::add(float argument) { return std::isnan(argument) ? add("nan") : add_number(argument); }

std::string_view encoder::name() const noexcept {
    // *N CRLF $n CRLF name CRLF: written by the constructor, so the parts are there.
    const std::string_view all = encoded().text();
    const std::size_t header = all.find("\r\n");
    if (header == all.npos) return {};
    const std::size_t begin = all.find("\r\n", header + 2) + 2;
    return all.substr(begin, all.find("\r\n", begin) - begin);
}

}  // namespace redis
}  // namespace rondo::inline v0
