#include <rondo/http/detail/field_parser.hpp>

#include "grammar.hpp"

namespace rondo::inline v0 {
namespace http {
namespace detail {

void field_parser::start(std::size_t max_bytes, std::size_t max_fields, folds f) noexcept {
    state_ = state::line;
    folds_ = f;
    error_ = errc::none;
    bytes_left_ = max_bytes;
    fields_left_ = max_fields;
    any_ = false;
}

const char* field_parser::fail(errc e, const char* p) noexcept {
    state_ = state::failed;
    error_ = e;
    return p;
}

// The value so far may end in white space that turned out to be trailing.
void field_parser::close_value(headers& into) noexcept {
    headers::entry& e = into.entries_.back();
    while (e.value_size > 0 && is_blank(into.text_[e.value + e.value_size - 1])) --e.value_size;
    into.text_.resize(e.value + e.value_size);
}

std::size_t field_parser::feed(std::string_view in, headers& into) {
    const bool capped = in.size() > bytes_left_;
    const char* const begin = in.data();
    const char* const end = begin + (capped ? bytes_left_ : in.size());
    const char* p = begin;
    while (p != end && state_ != state::done && state_ != state::failed) p = step(p, end, into);
    const auto taken = static_cast<std::size_t>(p - begin);
    bytes_left_ -= taken;
    if (p == end && capped && state_ != state::done && state_ != state::failed) fail(errc::head_too_large, p);
    return taken;
}

// One byte, or one run of bytes of a kind.
const char* field_parser::step(const char* p, const char* end, headers& into) {
    switch (state_) {
        case state::line:
            if (*p == '\r') {
                state_ = state::end_lf;
                return p + 1;
            }
            if (is_blank(*p)) {
                if (!any_ || folds_ == folds::refused) return fail(errc::folded_field, p);
                headers::entry& e = into.entries_.back();
                if (e.value_size > 0) {
                    into.text_ += ' ';
                    ++e.value_size;
                }
                state_ = state::blank;
                return p + 1;
            }
            if (*p == '\n') return fail(errc::bad_line_end, p);
            if (fields_left_ == 0) return fail(errc::too_many_fields, p);
            --fields_left_;
            any_ = true;
            into.entries_.push_back({static_cast<std::uint32_t>(into.text_.size()), 0, 0, 0});
            state_ = state::name;
            return p;

        case state::name: {
            const char* const stop = skip(chars::token, p, end);
            headers::entry& e = into.entries_.back();
            into.text_.append(p, stop);
            e.name_size += static_cast<std::uint32_t>(stop - p);
            if (stop == end) return stop;
            if (*stop != ':' || e.name_size == 0) return fail(errc::bad_field_name, stop);
            e.value = e.name + e.name_size;
            state_ = state::blank;
            return stop + 1;
        }

        case state::blank:
            while (p != end && is_blank(*p)) ++p;
            if (p != end) state_ = state::value;
            return p;

        case state::value: {
            const char* const stop = skip(chars::value, p, end);
            into.text_.append(p, stop);
            into.entries_.back().value_size += static_cast<std::uint32_t>(stop - p);
            if (stop == end) return stop;
            if (*stop == '\n') return fail(errc::bad_line_end, stop);
            if (*stop != '\r') return fail(errc::bad_field_value, stop);
            state_ = state::value_lf;
            return stop + 1;
        }

        case state::value_lf:
            if (*p != '\n') return fail(errc::bad_line_end, p);
            close_value(into);
            state_ = state::line;
            return p + 1;

        case state::end_lf:
            if (*p != '\n') return fail(errc::bad_line_end, p);
            state_ = state::done;
            return p + 1;

        case state::done:
        case state::failed: break;
    }
    return p;
}

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
