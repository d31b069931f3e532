#pragma once

#include <rondo/export.hpp>

namespace rondo::inline v0::detail {

[[noreturn]] RONDO_API void refuse_option(const char* name);

/// `n`, unless it is less than 1: then the option of that name is refused with errc::invalid_argument.
template <class N>
constexpr N at_least_one(N n, const char* option) {
    if (n < 1) refuse_option(option);
    return n;
}

}  // namespace rondo::inline v0::detail
