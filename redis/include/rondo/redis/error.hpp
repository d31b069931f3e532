// What Redis code can report, beside rondo::errc and the system's own codes.
#pragma once

#include <string_view>
#include <system_error>

#include <rondo/error.hpp>
#include <rondo/export.hpp>

namespace rondo::inline v0 {
namespace redis {

/// Failures of the Redis component. The fault's text carries the particulars.
enum class errc {
    server = 1,       ///< the server answered with an error; its text is the fault's detail, see server_code()
    protocol,         ///< bytes that are not RESP, a reply of a forbidden shape, or one nobody asked for
    limit_exceeded,   ///< a reply beyond the configured depth, bytes or elements
    conversion,       ///< the reply arrived but does not fit the C++ type asked for
    connection_lost,  ///< the connection ended before the answer; the outcome says whether it may have run
    queue_full,       ///< too many commands or bytes are waiting already
    unsupported,      ///< this build or this version cannot do it; the text says what is missing
};

/// The category named "redis".
RONDO_API const std::error_category& category() noexcept;
inline std::error_code make_error_code(errc e) noexcept { return {static_cast<int>(e), category()}; }

/// The first word of a server error, such as `WRONGTYPE`; empty when the fault is no server error.
///
///     catch (const rondo::error& e) { if (redis::server_code(e.fault()) == "READONLY") … }
///
/// Lifetime: a view into the fault.
RONDO_API std::string_view server_code(const fault& f) noexcept;

namespace detail {
/// The code of an error line: everything before its first space or line end.
constexpr std::string_view first_word(std::string_view text) noexcept {
    return text.substr(0, text.find_first_of(" \r\n"));
}
}  // namespace detail

}  // namespace redis
}  // namespace rondo::inline v0

template <>
struct std::is_error_code_enum<rondo::redis::errc> : std::true_type {};
