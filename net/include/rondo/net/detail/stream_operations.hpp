// The operations of a stream.
#pragma once

#include <rondo/bytes.hpp>
#include <rondo/net/chunk.hpp>
#include <rondo/net/detail/socket.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {
namespace net::detail {

class [[nodiscard("nothing happens until it is awaited: co_await it")]] RONDO_API read_operation
    : public receive_operation {
public:
    explicit read_operation(socket_ref s) noexcept : receive_operation(ops_table), socket_(std::move(s)) {}
    read_operation(read_operation&&) noexcept = default;
    ~read_operation();

    bool begin() noexcept;
    chunk finish();
    bool failed() const noexcept { return res < 0; }
    result<chunk> finish_result();

private:
    static void completed(io_operation& op) noexcept;
    static const io_ops ops_table;

    socket_ref socket_;
    leased_buffer received_;
};

class [[nodiscard("nothing happens until it is awaited: co_await it")]] RONDO_API read_some_operation
    : public io_operation {
public:
    read_some_operation(socket_ref s, mutable_bytes into) noexcept;
    read_some_operation(read_some_operation&&) noexcept = default;
    ~read_some_operation();

    bool begin() noexcept;
    std::size_t finish();
    bool failed() const noexcept { return res < 0; }
    result<std::size_t> finish_result();

private:
    static void completed(io_operation& op) noexcept;
    static const io_ops ops_table;

    socket_ref socket_;
    mutable_bytes into_;
    bool untaken_ = false;
};

class [[nodiscard("nothing happens until it is awaited: co_await it")]] RONDO_API write_operation
    : public io_operation {
public:
    write_operation(socket_ref s, bytes from, bool all) noexcept;
    write_operation(write_operation&&) noexcept = default;

    bool begin() noexcept;
    std::size_t finish();
    bool failed() const noexcept { return res < 0; }
    result<std::size_t> finish_result();

private:
    bool advance() noexcept;
    static void completed(io_operation& op) noexcept;
    static const io_ops ops_table;

    socket_ref socket_;
    bytes from_;
    std::size_t written_ = 0;
    bool all_;
};

}  // namespace net::detail
}  // namespace rondo::inline v0
