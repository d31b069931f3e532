// Servers that say what a test wrote down, for the tests of the client.
#pragma once

#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <rondo/http/error.hpp>
#include <rondo/http/response.hpp>
#include <rondo/net/listener.hpp>
#include <rondo/result.hpp>
#include <rondo/task.hpp>

#include "peer.hpp"

namespace scripted {

using peers::peer;
using rondo::result;
using rondo::task;
using rondo::http::response;
using rondo::net::listener;

inline constexpr const char* hi = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

inline std::string url(const listener& l, std::string_view path = "/") {
    return "http://" + l.local().to_string() + std::string(path);
}

// Accepts one connection and answers one request after another with these bytes; then waits for the client to close.
inline task<std::vector<std::string>> answer(listener& l, std::vector<std::string> answers) {
    std::vector<std::string> requests;
    peer p = co_await peer::accept(l);
    for (const std::string& a : answers) {
        requests.push_back(co_await p.message());
        co_await p.send(a);
    }
    requests.push_back(co_await p.rest());
    co_return requests;
}

// The same, but closes instead of waiting.
inline task<void> answer_and_close(listener& l, std::vector<std::string> answers) {
    peer p = co_await peer::accept(l);
    for (const std::string& a : answers) {
        co_await p.message();
        co_await p.send(a);
    }
}

// A braced list would be an initializer_list, which g++ 12 gets wrong beside a co_await.
template <class... S>
std::vector<std::string> list(const S&... all) {
    std::vector<std::string> out;
    (out.emplace_back(all), ...);
    return out;
}

inline bool failed(const result<response>& r, std::error_code code) { return !r.has_value() && r.error() == code; }
inline bool failed(const result<response>& r, rondo::http::errc code) { return failed(r, make_error_code(code)); }

}  // namespace scripted
