// What the wire adds to a message and an application need not know.
#pragma once

#include <cstdint>

namespace rondo::inline v0 {
namespace http {

/// The versions this codec speaks. A higher minor version is read as 1.1 (RFC 9110 section 2.5).
enum class version : unsigned char { http_1_0, http_1_1 };

/// How the end of a body is found (RFC 9112 section 6.3).
struct framing {
    enum class kind : unsigned char {
        none,         ///< there is no body
        length,       ///< Content-Length
        chunked,      ///< Transfer-Encoding: chunked
        until_close,  ///< a response that ends with its connection
    };
    kind how = kind::none;
    std::uint64_t length = 0;  ///< with kind::length

    friend bool operator==(const framing&, const framing&) = default;
};

}  // namespace http
}  // namespace rondo::inline v0
