#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <rondo/export.hpp>
#include <rondo/http/headers.hpp>

namespace rondo::inline v0 {
namespace http {

class response_parser;

/// A response as an application sees it, whatever protocol version carries it.
///
///     co_return http::response::text("hello\n");
///     co_return http::response(404);
///     co_return http::response(201).header("Location", "/items/7");
///
/// Thread safety: a value.
class RONDO_API response {
public:
    response() = default;
    explicit response(int status, std::string body = {}) : status_(status), body_(std::move(body)) {}
    /// 200 with `Content-Type: text/plain; charset=utf-8`.
    static response text(std::string body);

    int status() const noexcept { return status_; }
    response& status(int s) noexcept { return status_ = s, *this; }
    /// 2xx.
    bool ok() const noexcept { return status_ >= 200 && status_ < 300; }

    http::headers& headers() noexcept { return headers_; }
    const http::headers& headers() const noexcept { return headers_; }
    /// The value of the first field of that name.
    std::optional<std::string_view> header(std::string_view name) const noexcept { return headers_.get(name); }
    /// Adds a field. **Errors**: error(http::errc::bad_header).
    response& header(std::string_view name, std::string_view value) & { return headers_.add(name, value), *this; }
    response&& header(std::string_view name, std::string_view value) && { return std::move(header(name, value)); }

    std::string& body() noexcept { return body_; }
    const std::string& body() const noexcept { return body_; }
    response& body(std::string b) & { return body_ = std::move(b), *this; }
    response&& body(std::string b) && { return std::move(body(std::move(b))); }

    /// Fields that came after the body. They are kept apart from headers() and never merged into them.
    http::headers& trailers() noexcept { return trailers_; }
    const http::headers& trailers() const noexcept { return trailers_; }

private:
    friend class response_parser;

    int status_ = 200;
    http::headers headers_;
    std::string body_;
    http::headers trailers_;
};

}  // namespace http
}  // namespace rondo::inline v0
