#include <rondo/http/error.hpp>

#include <string>

namespace rondo::inline v0 {
namespace http {

namespace {

const char* text(errc e) noexcept {
    switch (e) {
        case errc::none: return "no error";
        case errc::bad_method: return "malformed method";
        case errc::unknown_method: return "method not implemented";
        case errc::bad_target: return "malformed request target";
        case errc::target_too_long: return "request line too long";
        case errc::bad_version: return "malformed HTTP version";
        case errc::unsupported_version: return "HTTP version not supported";
        case errc::bad_status_line: return "malformed status line";
        case errc::bad_line_end: return "bare CR or LF, or empty lines before the message";
        case errc::bad_field_name: return "malformed field name";
        case errc::bad_field_value: return "control character in a field value";
        case errc::folded_field: return "folded field line";
        case errc::head_too_large: return "head too large";
        case errc::too_many_fields: return "too many fields";
        case errc::bad_host: return "Host missing, repeated, malformed or contradicted by the request target";
        case errc::unknown_expectation: return "unknown expectation";
        case errc::bad_content_length: return "malformed or repeated Content-Length";
        case errc::ambiguous_length: return "both Content-Length and Transfer-Encoding";
        case errc::bad_transfer_encoding: return "malformed Transfer-Encoding";
        case errc::unknown_transfer_encoding: return "transfer coding not implemented";
        case errc::bad_chunk: return "malformed chunk";
        case errc::chunk_overhead: return "too much chunk framing";
        case errc::body_too_large: return "body too large";
        case errc::incomplete: return "the peer closed before the message was complete";
        case errc::bad_url: return "unusable URL";
        case errc::unsupported_scheme: return "URL scheme not supported";
        case errc::unresolvable_host: return "host names need a resolver; use a literal address or localhost";
        case errc::too_many_interim: return "too many interim responses";
        case errc::unasked_upgrade: return "101 Switching Protocols that was not asked for";
        case errc::no_response: return "the peer closed without a response";
        case errc::bad_header: return "header cannot be sent";
        case errc::bad_status: return "not a final status";
        case errc::body_length_mismatch: return "body length differs from the declared one";
    }
    return "unknown http error";
}

class http_category final : public std::error_category {
public:
    const char* name() const noexcept override { return "rondo.http"; }
    std::string message(int code) const override { return text(static_cast<errc>(code)); }
};

}  // namespace

const std::error_category& category() noexcept {
    static const http_category instance;
    return instance;
}

int status_for(errc e) noexcept {
    switch (e) {
        case errc::unknown_method:
        case errc::unknown_transfer_encoding: return 501;
        case errc::unsupported_version: return 505;
        case errc::target_too_long: return 414;
        case errc::head_too_large:
        case errc::too_many_fields: return 431;
        case errc::body_too_large: return 413;
        case errc::unknown_expectation: return 417;
        default: return 400;
    }
}

}  // namespace http
}  // namespace rondo::inline v0
