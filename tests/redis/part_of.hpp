// A substring check whose failure shows the whole text.
#pragma once

#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace redis_test {

inline std::string part_of(std::string_view text, std::string_view part) {
    return std::string(text.find(part) != text.npos ? part : text);
}

}  // namespace redis_test

#define CHECK_PART(text, part) CHECK(redis_test::part_of(text, part) == (part))
