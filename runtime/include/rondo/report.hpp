#pragma once

#include <string>
#include <string_view>

#include <rondo/export.hpp>

namespace rondo::inline v0 {

/// Receives what the library has to say outside of any call: an error nobody observed, a job that did not end.
using report_handler = void (*)(std::string_view text);

/// Replaces the handler and returns the former one. The default writes one line to stderr; nullptr restores it.
/// Thread safety: any thread; the handler may be called on any.
RONDO_API report_handler on_report(report_handler handler) noexcept;

/// Hands `text` to the handler.
RONDO_API void report(std::string_view text);

/// All jobs of the running context as text: names, what each waits for, and where, from the innermost await outwards.
///
///     job main: waits for 2 children
///       at server.cpp:41
///       child: sleep, 1.8 s to go
///         at server.cpp:12 <- server.cpp:30
RONDO_API std::string dump_jobs();

}  // namespace rondo::inline v0
