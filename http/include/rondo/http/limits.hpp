#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo::inline v0 {
namespace http {

/// What a peer may make us hold. Every parser has one; the defaults suit a server of ordinary requests.
///
///     http::server s(at, http::server_options().limits(http::limits().body(64 << 20)));
class limits {
public:
    /// Bytes of the request or status line. RFC 9112 section 3 asks for 8000 at least.
    constexpr limits& start_line(std::size_t n) noexcept { return start_line_ = n, *this; }
    /// Bytes of the whole head, and again of a trailer section.
    constexpr limits& head(std::size_t n) noexcept { return head_ = n, *this; }
    /// Fields of the head, and again of a trailer section.
    constexpr limits& fields(std::size_t n) noexcept { return fields_ = n, *this; }
    /// Bytes of the body, decoded.
    constexpr limits& body(std::uint64_t n) noexcept { return body_ = n, *this; }
    /// Bytes of all chunk extensions of one body together.
    constexpr limits& chunk_extensions(std::size_t n) noexcept { return chunk_extensions_ = n, *this; }
    /// By how many bytes the framing of a chunked body may outgrow the data framed. A body of one-byte chunks
    /// costs five bytes of framing each and ends here.
    constexpr limits& chunk_overhead(std::size_t n) noexcept { return chunk_overhead_ = n, *this; }

    constexpr std::size_t start_line() const noexcept { return start_line_; }
    constexpr std::size_t head() const noexcept { return head_; }
    constexpr std::size_t fields() const noexcept { return fields_; }
    constexpr std::uint64_t body() const noexcept { return body_; }
    constexpr std::size_t chunk_extensions() const noexcept { return chunk_extensions_; }
    constexpr std::size_t chunk_overhead() const noexcept { return chunk_overhead_; }

private:
    std::size_t start_line_ = 16 * 1024;
    std::size_t head_ = 64 * 1024;
    std::size_t fields_ = 100;
    std::uint64_t body_ = 8 * 1024 * 1024;
    std::size_t chunk_extensions_ = 4 * 1024;
    std::size_t chunk_overhead_ = 64 * 1024;
};

}  // namespace http
}  // namespace rondo::inline v0
