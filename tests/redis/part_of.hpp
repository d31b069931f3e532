// A substring check whose failure shows the whole text.
#pragma once

#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace redis_test {

inline std::string part_of(std::string_view whole, std::string_view part) {
    return std::string(whole.find(part) != whole.npos ? part : whole);
}

}  // namespace redis_test

#define CHECK_PART(whole, part) CHECK(redis_test::part_of(whole, part) == (part))
