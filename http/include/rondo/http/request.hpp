#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rondo/export.hpp>
#include <rondo/http/headers.hpp>
#include <rondo/http/method.hpp>

namespace rondo::inline v0 {
namespace http {

namespace detail {
class router;
}
class request_parser;

/// A request as an application sees it, whatever protocol version carried it.
///
/// Thread safety: a value.
class RONDO_API request {
public:
    request() = default;
    explicit request(http::method m, std::string target = "/") : method_(m), target_(std::move(target)) {}

    http::method method() const noexcept { return method_; }
    request& method(http::method m) noexcept { return method_ = m, *this; }

    /// Path and query as sent, such as "/items/7?full=1"; "*" for an OPTIONS of the whole server. A request in
    /// absolute form (`GET http://host/path`) shows the same as one in origin form.
    const std::string& target() const noexcept { return target_; }
    request& target(std::string t) { return target_ = std::move(t), *this; }
    /// The target before "?", not decoded.
    std::string_view path() const noexcept { return std::string_view(target_).substr(0, target_.find('?')); }
    /// The target after "?", not decoded; empty when there is none.
    std::string_view query() const noexcept;

    http::headers& headers() noexcept { return headers_; }
    const http::headers& headers() const noexcept { return headers_; }
    /// The value of the first field of that name.
    std::optional<std::string_view> header(std::string_view name) const noexcept { return headers_.get(name); }
    /// Adds a field. **Errors**: error(http::errc::bad_header).
    request& header(std::string_view name, std::string_view value) & { return headers_.add(name, value), *this; }
    request&& header(std::string_view name, std::string_view value) && { return std::move(header(name, value)); }

    std::string& body() noexcept { return body_; }
    const std::string& body() const noexcept { return body_; }
    request& body(std::string b) & { return body_ = std::move(b), *this; }
    request&& body(std::string b) && { return std::move(body(std::move(b))); }

    /// Fields that came after the body. They are kept apart from headers() and never merged into them.
    http::headers& trailers() noexcept { return trailers_; }
    const http::headers& trailers() const noexcept { return trailers_; }

    /// What a `{name}` of the matched route stood for, percent-decoded.
    ///
    /// **Errors**: error(errc::invalid_argument) when the route has no such name.
    const std::string& param(std::string_view name) const;

private:
    friend class detail::router;
    friend class request_parser;

    http::method method_ = http::method::get;
    std::string target_ = "/";
    http::headers headers_;
    std::string body_;
    http::headers trailers_;
    std::vector<std::pair<std::string, std::string>> params_;
};

}  // namespace http
}  // namespace rondo::inline v0
