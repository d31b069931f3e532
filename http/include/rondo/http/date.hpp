#pragma once

#include <ctime>
#include <string>

#include <rondo/export.hpp>

namespace rondo::inline v0 {
namespace http {

/// A time as HTTP writes it (IMF-fixdate, RFC 9110 section 5.6.7), such as "Sun, 06 Nov 1994 08:49:37 GMT".
RONDO_API std::string http_date(std::time_t t);

}  // namespace http
}  // namespace rondo::inline v0
