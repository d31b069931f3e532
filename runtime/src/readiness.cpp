#include <rondo/readiness.hpp>

#include <poll.h>

namespace rondo::inline v0 {

namespace detail {

namespace {

io_request poll_request(int fd, std::uint32_t events) noexcept {
    io_request r;
    r.code = io_code::poll;
    r.fd = fd;
    r.flags = events;
    return r;
}

}  // namespace

readiness_operation::readiness_operation(int fd, std::uint32_t events) noexcept
    : io_operation(poll_request(fd, events)) {}

fault readiness_operation::failure() const {
    return fault::from_errno(-res, "poll").peer("fd " + std::to_string(request.fd));
}

void readiness_operation::finish() const {
    if (res < 0) failure().raise();
}

result<void> readiness_operation::finish_result() const {
    if (res < 0) return failure();
    return {};
}

}  // namespace detail

detail::readiness_operation readable(int fd) noexcept { return {fd, POLLIN}; }
detail::readiness_operation writable(int fd) noexcept { return {fd, POLLOUT}; }

}  // namespace rondo::inline v0
