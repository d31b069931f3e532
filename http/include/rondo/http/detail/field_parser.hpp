#pragma once

#include <cstddef>
#include <string_view>

#include <rondo/export.hpp>
#include <rondo/http/error.hpp>
#include <rondo/http/headers.hpp>

namespace rondo::inline v0 {
namespace http {
namespace detail {

/// Parses field lines up to and including the empty line: the second part of a head, or a trailer section.
///
/// Resumable at every byte; each byte is looked at once and copied once.
class RONDO_API field_parser {
public:
    /// What to do with a line that starts with white space (obs-fold, RFC 9112 section 5.2): a server refuses
    /// it, a user agent reads it as one space.
    enum class folds : bool { refused, joined };

    void start(std::size_t max_bytes, std::size_t max_fields, folds f) noexcept;

    /// Takes bytes until the section ends, an error, or `in` is used up; how many it took.
    std::size_t feed(std::string_view in, headers& into);

    bool done() const noexcept { return state_ == state::done; }
    errc error() const noexcept { return error_; }

private:
    enum class state : unsigned char { line, name, blank, value, value_lf, end_lf, done, failed };

    const char* step(const char* p, const char* end, headers& into);
    const char* fail(errc e, const char* p) noexcept;
    void close_value(headers& into) noexcept;

    state state_ = state::line;
    folds folds_ = folds::refused;
    errc error_ = errc::none;
    std::size_t bytes_left_ = 0;
    std::size_t fields_left_ = 0;
    bool any_ = false;  // a field was begun, so a fold has something to continue
};

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
