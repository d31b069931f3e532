#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include <rondo/http/date.hpp>

namespace rondo::inline v0 {
namespace http {
namespace detail {

/// The current date as HTTP text, made anew once a second.
class date_cache {
public:
    std::string_view now() {
        const std::time_t t = std::time(nullptr);
        if (t != at_ || text_.empty()) {
            text_ = http_date(t);
            at_ = t;
        }
        return text_;
    }

private:
    std::time_t at_ = 0;
    std::string text_;
};

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
