#pragma once

#include <rondo/detail/io_operation.hpp>

namespace rondo::inline v0 {

namespace detail {

class [[nodiscard("nothing happens until it is awaited: co_await it")]] RONDO_API readiness_operation
    : public io_operation {
public:
    readiness_operation(int fd, std::uint32_t events) noexcept;
    void finish() const;
    bool failed() const noexcept { return res < 0; }
    result<void> finish_result() const;

private:
    fault failure() const;
};

}  // namespace detail

/// Waits until `fd` can be read without blocking (or has ended, or failed): for file descriptors of other libraries.
///
///     co_await rondo::readable(inotify_fd);
///
/// Errors: std::errc codes, such as bad_file_descriptor. Cancellation: ends at once. Lifetime: `fd` stays open until it
/// returns. Thread safety: one context.
RONDO_API detail::readiness_operation readable(int fd) noexcept;

/// The same for writing.
RONDO_API detail::readiness_operation writable(int fd) noexcept;

}  // namespace rondo::inline v0
