// Failure as a value (fault) and as an exception (error).
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include <rondo/export.hpp>

namespace rondo::inline v0 {

/// What the runtime itself can report; system failures keep their own std::errc.
enum class errc {
    cancelled = 1,      ///< another job was cancelled: seen through a join handle or a settled result
    timed_out,          ///< a deadline passed
    end_of_stream,      ///< the peer closed before all of it came
    closed,             ///< used after close, or closed by its owner meanwhile
    busy,               ///< the same direction is already in use by another job
    deadlock,           ///< nothing can ever wake the program again
    no_context,         ///< needs a running rondo::run on this thread
    ring_unavailable,   ///< the kernel gives no usable io_uring
    invalid_argument,   ///< the caller's value cannot be used; the text names it
    limit_exceeded,     ///< a configured limit was reached; the text names it
    foreign_exception,  ///< a result holds an exception of another type
    abandoned,          ///< the other side went away before it settled
};

/// The category named "rondo".
RONDO_API const std::error_category& category() noexcept;
inline std::error_code make_error_code(errc e) noexcept { return {static_cast<int>(e), category()}; }

}  // namespace rondo::inline v0

// Before the first use of an error_code below, which would instantiate the primary template.
template <>
struct std::is_error_code_enum<rondo::errc> : std::true_type {};

namespace rondo::inline v0 {

/// How far a failed request had gone when it failed.
enum class outcome : unsigned char {
    unknown,         ///< the operation has no such notion
    not_sent,        ///< nothing left this process: safe to repeat
    maybe_executed,  ///< sent, or partly sent, and not answered
    refused,         ///< the peer answered that it did not do it
};
RONDO_API std::string_view to_string(outcome o) noexcept;

/// A failure as a value: the code, what was being done, to whom, and what had already happened.
///
/// Example text: `connect 10.0.0.7:6379: timed out after 2 s`. Thread safety: a value.
class RONDO_API fault {
public:
    fault() noexcept = default;
    fault(std::error_code code) : code_(code) {}
    fault(errc code) : code_(make_error_code(code)) {}
    fault(std::error_code code, std::string operation) : code_(code), operation_(std::move(operation)) {}
    fault(errc code, std::string operation) : code_(make_error_code(code)), operation_(std::move(operation)) {}
    /// Keeps an exception that is not a rondo::error; code() is errc::foreign_exception.
    explicit fault(std::exception_ptr foreign);
    /// From an errno value, with the system category.
    static fault from_errno(int err, std::string operation);

    fault& peer(std::string p) { return peer_ = std::move(p), *this; }
    fault& detail(std::string d) { return detail_ = std::move(d), *this; }
    fault& outcome(v0::outcome o) noexcept { return outcome_ = o, *this; }

    const std::error_code& code() const noexcept { return code_; }
    const std::string& operation() const noexcept { return operation_; }
    const std::string& peer() const noexcept { return peer_; }
    const std::string& detail() const noexcept { return detail_; }
    v0::outcome outcome() const noexcept { return outcome_; }
    const std::exception_ptr& foreign() const noexcept { return foreign_; }

    /// One line: operation, peer, what went wrong, what had happened.
    std::string text() const;
    /// Throws it: a rondo::error, or the foreign exception that was kept.
    [[noreturn]] void raise() const;

    friend bool operator==(const fault& f, std::error_code c) noexcept { return f.code_ == c; }
    friend bool operator==(const fault& f, errc c) noexcept { return f.code_ == make_error_code(c); }

private:
    std::error_code code_;
    v0::outcome outcome_ = v0::outcome::unknown;
    std::string operation_, peer_, detail_;
    std::exception_ptr foreign_;
};

/// The one exception class that rondo throws for failures (not for cancellation, see rondo/cancelled.hpp).
class RONDO_API error : public std::system_error {
public:
    explicit error(v0::fault f);
    error(errc code, std::string operation) : error(v0::fault(code, std::move(operation))) {}
    error(std::error_code code, std::string operation) : error(v0::fault(code, std::move(operation))) {}
    error(const error&) = default;
    error& operator=(const error&) = default;
    ~error() override;

    const char* what() const noexcept override { return text_.c_str(); }
    const v0::fault& fault() const noexcept { return fault_; }
    v0::outcome outcome() const noexcept { return fault_.outcome(); }

private:
    v0::fault fault_;
    std::string text_;
};

namespace detail {
/// The current exception as a fault. Must be called inside a catch block; never for `cancelled`.
RONDO_API fault current_fault();
}  // namespace detail

}  // namespace rondo::inline v0
