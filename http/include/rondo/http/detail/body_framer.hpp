#pragma once

#include <cstdint>
#include <string>

#include <rondo/bytes.hpp>
#include <rondo/export.hpp>
#include <rondo/http/framing.hpp>
#include <rondo/http/headers.hpp>

namespace rondo::inline v0 {
namespace http {
namespace detail {

/// Writes the body that a head announced, and refuses to write another one.
class RONDO_API body_framer {
public:
    body_framer() noexcept = default;
    /// `silent`: the message has no body on the wire, whatever the framing says (an answer to HEAD).
    body_framer(const framing& f, bool silent) noexcept : framing_(f), left_(f.length), silent_(silent) {}

    /// Appends one piece. **Errors**: error(errc::body_length_mismatch), with nothing written.
    void write(std::string& out, bytes piece);
    /// Appends the end. **Errors**: error(errc::body_length_mismatch) when bytes are missing;
    /// error(errc::bad_header) for a field that may not be a trailer.
    void end(std::string& out, const headers& trailers);

private:
    framing framing_;
    std::uint64_t left_ = 0;
    bool silent_ = false;
    bool ended_ = false;
};

/// Appends `name: value` and a line end. Both were checked when they entered `headers`.
void append_field(std::string& out, std::string_view name, std::string_view value);

/// Appends Content-Length or Transfer-Encoding, or nothing.
void append_framing(std::string& out, const framing& f);

/// Fields about the connection and the framing, which only a writer may write (RFC 9110 section 7.6.1).
bool is_connection_field(std::string_view name) noexcept;

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
