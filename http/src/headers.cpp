#include <rondo/http/headers.hpp>

#include <algorithm>
#include <limits>

#include <rondo/http/error.hpp>

#include "grammar.hpp"

namespace rondo::inline v0 {
namespace http {

namespace {

[[noreturn]] void refuse(std::string_view name, const char* why) {
    std::string shown(name.substr(0, 64));
    for (char& c : shown)
        if (!detail::is(detail::chars::token, c)) c = '?';
    throw error(fault(make_error_code(errc::bad_header), "header \"" + shown + "\"").detail(why));
}

}  // namespace

headers::entry headers::append(std::string_view name, std::string_view value) {
    if (name.empty() || !detail::all(detail::chars::token, name)) refuse(name, "the name is not a token");
    value = detail::trim(value);
    if (!detail::all(detail::chars::value, value)) refuse(name, "the value holds a control character");
    if (name.size() + value.size() > std::numeric_limits<std::uint32_t>::max() - text_.size()) refuse(name, "too long");

    // Built apart and then appended, because either view may point into text_.
    std::string both;
    both.reserve(name.size() + value.size());
    both.append(name).append(value);
    const auto at = static_cast<std::uint32_t>(text_.size());
    const auto name_size = static_cast<std::uint32_t>(name.size());
    const auto value_size = static_cast<std::uint32_t>(value.size());
    text_ += both;
    return {at, name_size, at + name_size, value_size};
}

headers& headers::add(std::string_view name, std::string_view value) {
    entries_.push_back(append(name, value));
    return *this;
}

headers& headers::set(std::string_view name, std::string_view value) {
    const entry fresh = append(name, value);
    const std::string_view kept = view(fresh).name;  // `name` may have pointed into the old text
    const auto first = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const entry& e) { return detail::same(view(e).name, kept); });
    if (first == entries_.end()) {
        entries_.push_back(fresh);
        return *this;
    }
    *first = fresh;
    entries_.erase(
        std::remove_if(first + 1, entries_.end(), [&](const entry& e) { return detail::same(view(e).name, kept); }),
        entries_.end());
    return *this;
}

std::size_t headers::remove(std::string_view name) noexcept {
    return std::erase_if(entries_, [&](const entry& e) { return detail::same(view(e).name, name); });
}

void headers::clear() noexcept {
    // The memory is kept for the next head, unless this one was out of the ordinary.
    if (text_.capacity() > 4096) text_ = std::string();
    text_.clear();
    entries_.clear();
}

std::optional<std::string_view> headers::get(std::string_view name) const noexcept {
    for (const entry& e : entries_)
        if (detail::same(view(e).name, name)) return view(e).value;
    return std::nullopt;
}

std::size_t headers::count(std::string_view name) const noexcept {
    const auto n = std::count_if(entries_.begin(), entries_.end(),
                                 [&](const entry& e) { return detail::same(view(e).name, name); });
    return static_cast<std::size_t>(n);
}

std::string headers::joined(std::string_view name) const {
    std::string all;
    bool first = true;
    for (const field f : *this) {
        if (!detail::same(f.name, name)) continue;
        if (!first) all += ", ";
        all += f.value;
        first = false;
    }
    return all;
}

bool headers::lists(std::string_view name, std::string_view token) const noexcept {
    for (const field f : *this) {
        if (!detail::same(f.name, name)) continue;
        std::string_view rest = f.value;
        bool more = true;
        while (more)
            if (detail::same(detail::next_member(rest, more), token)) return true;
    }
    return false;
}

}  // namespace http
}  // namespace rondo::inline v0
