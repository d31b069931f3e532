#include <rondo/error.hpp>

#include <utility>

#include <rondo/detail/at_least_one.hpp>

namespace rondo::inline v0 {

namespace {

class rondo_category final : public std::error_category {
public:
    const char* name() const noexcept override { return "rondo"; }
    std::string message(int code) const override {
        switch (static_cast<errc>(code)) {
            case errc::cancelled: return "cancelled";
            case errc::timed_out: return "timed out";
            case errc::end_of_stream: return "end of stream";
            case errc::closed: return "closed";
            case errc::busy: return "already in use by another job";
            case errc::deadlock: return "deadlock";
            case errc::no_context: return "no rondo context on this thread";
            case errc::ring_unavailable: return "io_uring is not usable";
            case errc::invalid_argument: return "invalid argument";
            case errc::limit_exceeded: return "limit exceeded";
            case errc::foreign_exception: return "an exception of another type";
            case errc::abandoned: return "abandoned before it was settled";
        }
        return "unknown rondo error";
    }
    std::error_condition default_error_condition(int code) const noexcept override {
        switch (static_cast<errc>(code)) {
            case errc::cancelled: return std::errc::operation_canceled;
            case errc::timed_out: return std::errc::timed_out;
            case errc::invalid_argument: return std::errc::invalid_argument;
            case errc::busy: return std::errc::device_or_resource_busy;
            case errc::deadlock: return std::errc::resource_deadlock_would_occur;
            default: return {code, *this};
        }
    }
};

}  // namespace

const std::error_category& category() noexcept {
    static const rondo_category instance;
    return instance;
}

std::string_view to_string(outcome o) noexcept {
    switch (o) {
        case outcome::unknown: return "unknown";
        case outcome::not_sent: return "not_sent";
        case outcome::maybe_executed: return "maybe_executed";
        case outcome::refused: return "refused";
    }
    return "unknown";
}

fault::fault(std::exception_ptr foreign)
    : code_(make_error_code(errc::foreign_exception)), foreign_(std::move(foreign)) {
    try {
        std::rethrow_exception(foreign_);
    } catch (const std::exception& e) {
        detail_ = e.what();
    } catch (...) {
        detail_ = "not a std::exception";
    }
}

fault fault::from_errno(int err, std::string operation) {
    return {std::error_code(err, std::system_category()), std::move(operation)};
}

std::string fault::text() const {
    std::string s = operation_;
    if (!peer_.empty()) s += (s.empty() ? "" : " ") + peer_;
    if (!s.empty()) s += ": ";
    if (code_ == make_error_code(errc::foreign_exception)) return s + detail_;
    s += code_.message();
    if (!detail_.empty()) s += (detail_.starts_with("after ") ? " " : ": ") + detail_;
    if (outcome_ != outcome::unknown) (s += " [") += std::string(to_string(outcome_)) + "]";
    return s;
}

void fault::raise() const {
    if (foreign_) std::rethrow_exception(foreign_);
    throw error(*this);
}

error::error(v0::fault f) : std::system_error(f.code()), fault_(std::move(f)), text_(fault_.text()) {}
error::~error() = default;

namespace detail {

void refuse_option(const char* name) { throw error(fault(errc::invalid_argument, name).detail("must be at least 1")); }

fault current_fault() {
    try {
        throw;
    } catch (const error& e) {
        return e.fault();
    } catch (...) {
        return fault(std::current_exception());
    }
}

}  // namespace detail

}  // namespace rondo::inline v0
