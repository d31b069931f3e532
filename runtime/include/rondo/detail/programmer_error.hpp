// Mistakes that only the caller's code can make: they stop the program with a sentence that says which, and where.
#pragma once

#include <source_location>

#include <rondo/export.hpp>

namespace rondo::inline v0::detail {

/// Whether code compiled here looks for them where every call would pay for that: unless NDEBUG is defined.
#ifdef NDEBUG
constexpr bool checks_calls = false;
#else
constexpr bool checks_calls = true;
#endif

/// Reports `what` and stops the program.
[[noreturn]] RONDO_API void programmer_error(const char* what,
                                             std::source_location where = std::source_location::current()) noexcept;

}  // namespace rondo::inline v0::detail
