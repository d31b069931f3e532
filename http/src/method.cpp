#include <rondo/http/method.hpp>

#include <array>

namespace rondo::inline v0 {
namespace http {

namespace {

constexpr std::array<std::string_view, 8> names = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"};

}  // namespace

std::string_view to_string(method m) noexcept { return names[static_cast<std::size_t>(m)]; }

std::optional<method> parse_method(std::string_view name) noexcept {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<method>(i);
    return std::nullopt;
}

bool is_idempotent(method m) noexcept { return m != method::post && m != method::patch; }

}  // namespace http
}  // namespace rondo::inline v0
