#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rondo/export.hpp>

namespace rondo::inline v0 {
namespace http {

namespace detail {
class field_parser;
}

/// The fields of a message head or trailer: in order, repeats allowed, the case of names kept.
///
/// Names are compared without regard to case. A name or value that could break the message apart (CR, LF, NUL
/// and other controls, a name that is not a token) cannot get in, so none can get out to the wire.
///
///     http::headers h;
///     h.add("Content-Type", "text/plain").add("Vary", "Accept");
///     h.get("content-type");  // "text/plain"
///
/// Lifetime: the views it gives are good until it is next changed. Thread safety: a value.
class RONDO_API headers {
public:
    struct field {
        std::string_view name, value;
        friend bool operator==(const field&, const field&) = default;
    };

    /// Adds one field at the end. White space around the value is dropped. Either view may be one of its own.
    ///
    /// **Errors**: error(http::errc::bad_header), which names the field; nothing is added then.
    headers& add(std::string_view name, std::string_view value);
    /// Replaces every field of that name by this one, in the place of the first. **Errors**: as add().
    headers& set(std::string_view name, std::string_view value);
    /// Removes every field of that name; how many there were.
    std::size_t remove(std::string_view name) noexcept;
    void clear() noexcept;

    /// The value of the first field of that name.
    std::optional<std::string_view> get(std::string_view name) const noexcept;
    bool contains(std::string_view name) const noexcept { return get(name).has_value(); }
    std::size_t count(std::string_view name) const noexcept;
    /// All values of that name, in order, joined by ", " (RFC 9110 section 5.3).
    std::string joined(std::string_view name) const;
    /// Whether any field of that name lists this token, as `Connection: upgrade, close` lists close.
    bool lists(std::string_view name, std::string_view token) const noexcept;

    std::size_t size() const noexcept { return entries_.size(); }
    bool empty() const noexcept { return entries_.empty(); }
    field operator[](std::size_t i) const noexcept { return view(entries_[i]); }

    class iterator {
    public:
        field operator*() const noexcept { return (*owner_)[at_]; }
        iterator& operator++() noexcept { return ++at_, *this; }
        friend bool operator==(const iterator&, const iterator&) = default;

    private:
        friend class headers;
        iterator(const headers* owner, std::size_t at) noexcept : owner_(owner), at_(at) {}
        const headers* owner_;
        std::size_t at_;
    };
    iterator begin() const noexcept { return {this, 0}; }
    iterator end() const noexcept { return {this, size()}; }

private:
    friend class detail::field_parser;

    // Where one field lies in text_.
    struct entry {
        std::uint32_t name, name_size, value, value_size;
    };
    field view(const entry& e) const noexcept {
        const std::string_view all = text_;
        return {all.substr(e.name, e.name_size), all.substr(e.value, e.value_size)};
    }
    entry append(std::string_view name, std::string_view value);

    std::string text_;  // names and values, one after another: two allocations hold a whole head
    std::vector<entry> entries_;
};

}  // namespace http
}  // namespace rondo::inline v0
