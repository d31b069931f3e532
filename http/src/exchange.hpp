// One request and its response on one connection.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <rondo/error.hpp>
#include <rondo/http/body_decoder.hpp>
#include <rondo/http/client_options.hpp>
#include <rondo/http/request.hpp>
#include <rondo/http/response_parser.hpp>
#include <rondo/net/stream.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0 {
namespace http {
namespace detail {

class exchange {
public:
    exchange(net::stream& s, const client_options& o, const request& r, std::string_view authority);

    /// Sends and receives. **Errors**: error, without saying to whom; the stream is of no further use then.
    task<void> run();

    /// Whether any byte of a response has come.
    bool answered() const noexcept { return parser_.started() || interim_ > 0; }
    /// Whether the connection can be used again: everything was sent, and everything that came belonged to the
    /// response.
    bool is_clean() const noexcept { return sent_ && !surplus_ && parser_.keep_alive(); }
    http::response& response() noexcept { return parser_.response(); }

private:
    task<void> upload();
    task<void> receive();
    void take_head(bytes& in);
    void take_body(bytes& in);
    void end_of_stream();

    net::stream& stream_;
    const client_options& options_;
    std::string out_;
    bool has_body_;
    bool sent_ = false;
    bool surplus_ = false;  // bytes came that belong to no response
    std::size_t interim_ = 0;
    std::optional<fault> upload_failure_;
    response_parser parser_;
    body_decoder body_;
    bool in_body_ = false;
};

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
