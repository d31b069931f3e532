// Ten GETs to a server that takes its time.
#pragma once

#include <optional>
#include <string>

#include <rondo/http/client.hpp>
#include <rondo/http/server.hpp>
#include <rondo/spawn.hpp>
#include <rondo/task.hpp>

#include "board.hpp"

namespace demo {

class http_part {
public:
    /// `url`: what answers URL/<seconds> after so many seconds. Empty: rondo's own server, in this process, on a
    /// loopback port of the kernel's choice.
    explicit http_part(std::string url);

    /// Opens the connections that the waits will use, and sees that the server answers on each.
    /// Errors: rondo::error when it does not.
    rondo::task<> see_it_answer();

    /// Settles the board's HTTP waits, a failed one by rejecting it. Lifetime: this and the board outlive it.
    rondo::task<> settle(board& b);

    /// Ends our server, if there is one.
    rondo::task<> close();

private:
    rondo::task<> get(duration d);
    rondo::task<> settle_one(board& b, wait& w);

    std::string base_;
    rondo::http::client client_;
    std::optional<rondo::http::server> server_;
    std::optional<rondo::join_handle<void>> serving_;
};

}  // namespace demo
