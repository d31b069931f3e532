// One connection of a server, from accept to close.
//
// Two coroutines share it, in one job. The reader always has a read armed: it alone sees the client leave while a
// handler runs, and what it reads meanwhile is the next request. The other takes requests out of the input, answers
// them in order, and ends the reader when it is done.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <rondo/event.hpp>
#include <rondo/http/body_decoder.hpp>
#include <rondo/http/request_parser.hpp>
#include <rondo/http/response.hpp>
#include <rondo/http/server_options.hpp>
#include <rondo/net/stream.hpp>
#include <rondo/task.hpp>

#include "date_cache.hpp"
#include "router.hpp"

namespace rondo::inline v0 {
namespace http {
namespace detail {

/// What all connections of a server share.
struct serving {
    server_options options;
    router routes;
    date_cache date;
    bool draining = false;
};

class server_connection {
public:
    server_connection(net::stream s, serving& shared);

    /// Serves until the connection is over. That it broke is no error.
    task<void> run();

    /// Nothing of a request has come, and every response is out: it may be closed without harm.
    bool is_idle() const noexcept { return idle_ && unread().empty(); }

private:
    task<void> read_loop();
    task<void> serve_loop();
    task<bool> serve_one();
    task<bool> receive_head();
    task<void> read_head();
    task<bool> receive_body(bool wanted);
    task<void> read_body(bool wanted);
    task<bool> answer(route_handler& h);
    task<void> call(route_handler& h);
    task<void> watch_client();
    task<void> input();
    task<void> flush();
    task<void> finish();

    std::string_view unread() const noexcept { return std::string_view(input_).substr(taken_); }
    void take(std::size_t n);
    void parse_head() { take(parser_.feed(unread())); }
    bool head_settled() const noexcept { return parser_.done() || parser_.failed(); }
    void refuse(int status, std::string_view reason);
    void write_response();

    net::stream stream_;
    serving* shared_;

    // Input: written by the reader, up to read_ahead bytes beyond what was taken.
    std::string input_;
    std::size_t taken_ = 0;
    event arrived_;  // there is unread input, or no more will come
    event room_;     // there is room for more
    event ended_;    // the client closed, or closed its side, or the connection broke
    bool discarding_ = false;
    std::size_t discarded_ = 0;

    // Output: responses not yet written. Only a flush takes from it, so a flush that is cancelled loses nothing.
    std::string output_;
    std::size_t written_ = 0;

    request_parser parser_;
    body_decoder body_;
    response response_;
    std::string trouble_;  // what a handler threw
    bool failed_ = false;  // ... if it did
    bool keep_alive_ = true;
    bool first_ = true;  // no request has come yet
    bool idle_ = false;
};

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
