// One socket to the server, and all that travels over it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <rondo/error.hpp>
#include <rondo/event.hpp>
#include <rondo/net/stream.hpp>
#include <rondo/redis/options.hpp>
#include <rondo/redis/parser.hpp>
#include <rondo/spawn.hpp>
#include <rondo/task.hpp>

#include "reply_queue.hpp"
#include "request_list.hpp"

namespace rondo::inline v0 {
namespace redis {
namespace detail {

/// Connects once, lives until the socket ends, and then fails what it still holds. It is not used again after that.
///
/// One job does it all: it connects and greets, then reads and writes in two children, so that reading never waits for
/// a write. The job shares ownership; close() ends it.
class connection : public std::enable_shared_from_this<connection> {
public:
    static std::shared_ptr<connection> open(std::shared_ptr<const options> o);
    explicit connection(std::shared_ptr<const options> o) noexcept
        : options_(std::move(o)), parser_(options_->limits()) {}

    /// True while it can take requests.
    bool usable() const noexcept { return !closing_ && !ended_; }
    /// Set when the server has greeted us, or that has failed.
    event& greeted() noexcept { return greeted_; }
    /// Throws what it ended with, if it has ended.
    void check() const;

    /// Queues a request; it leaves with the next write.
    void submit(request& r) noexcept;
    /// The request is not to be touched any more: never sent if it was not yet, its replies thrown away if it was.
    void abandon(request& r) noexcept;
    void close() noexcept;

    std::size_t unsent_bytes() const noexcept { return unsent_bytes_; }
    std::size_t waiting() const noexcept { return unsent_.size() + replies_.owed(); }

private:
    /// Ends the connection with the coroutine that holds it, even one that was never started.
    class lifeline;

    static task<void> live(lifeline hold);
    task<void> greet();
    task<bool> say_hello();
    task<void> greet_without_hello();
    task<value> ask(std::string what);
    task<value> read_reply();
    task<void> read_loop();
    task<void> write_loop();
    void take_replies();
    void on_reply(value&& v);
    void collect_batch();
    void end() noexcept;
    rondo::fault fault_for(const request& r) const;
    [[noreturn]] void lose(redis::errc code, std::string why) const;

    std::shared_ptr<const options> options_;
    std::optional<join_handle<void>> job_;
    net::stream stream_;
    parser parser_;
    net::chunk received_;  // what the parser is reading
    std::string out_;      // what is being written
    request_list unsent_;
    std::size_t unsent_bytes_ = 0;
    reply_queue replies_;
    event unsent_came_;
    event greeted_;
    rondo::fault why_;
    bool answered_ = false;  // bytes came over this socket
    bool established_ = false;
    bool closing_ = false;
    bool ended_ = false;
};

}  // namespace detail
}  // namespace redis
}  // namespace rondo::inline v0
