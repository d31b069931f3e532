#pragma once

#include <rondo/export.hpp>

namespace rondo::inline v0 {

/// Why a job was cancelled.
enum class cancel_reason : unsigned char {
    none,            ///< it was not
    requested,       ///< join_handle::cancel(), a cancel source, a peer that left
    deadline,        ///< a timeout or deadline around it passed
    sibling_failed,  ///< another child of the same combinator failed
    lost_race,       ///< another child of the same combinator settled first
    shutdown,        ///< the main task ended
};
RONDO_API const char* to_string(cancel_reason r) noexcept;

/// Unwinds a cancelled job. It is thrown by the await that was waiting, and by every later wait of that job.
///
/// Not a std::exception on purpose: `catch (const std::exception&)` does not swallow it. It only ever means
/// *this* job; another job's cancellation is an ordinary rondo::error with errc::cancelled.
class RONDO_API cancelled {
public:
    explicit cancelled(cancel_reason r) noexcept : reason_(r) {}
    cancel_reason reason() const noexcept { return reason_; }

private:
    cancel_reason reason_;
};

}  // namespace rondo::inline v0
