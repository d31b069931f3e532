#include <rondo/redis/convert.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rondo::inline v0 {
namespace redis {
namespace detail {

namespace {

constexpr std::size_t shown_at_most = 80;

// from_chars reads a prefix; a reply must be a number from end to end.
template <class T>
bool parse_all(std::string_view text, T& out) noexcept {
    const auto r = std::from_chars(text.data(), text.data() + text.size(), out);
    return r.ec == std::errc() && r.ptr == text.data() + text.size();
}

template <class T>
bool assign_integer(T& out, value& v, conversion& c) {
    if (v.kind() == kind::integer && std::in_range<T>(v.integer())) return out = static_cast<T>(v.integer()), true;
    if ((v.is_text() || v.kind() == kind::big_number) && parse_all(v.text(), out)) return true;
    return c.fail(v, std::is_signed_v<T> ? "integer" : "unsigned integer");
}

}  // namespace

rondo::fault conversion::server(const value& v) const {
    rondo::fault f(make_error_code(errc::server), std::string(operation_));
    f.detail(std::string(v.text())).outcome(outcome::refused);
    return f;
}

bool conversion::fail(const value& v, std::string_view wanted) {
    if (v.is_error()) {
        fault_ = server(v);
    } else {
        fault_ = rondo::fault(make_error_code(errc::conversion), std::string(operation_));
        std::string text = "wanted ";
        ((text += wanted) += ", got ") += to_string(v.kind());
        if (!v.is_null()) (text += " ") += to_string(v, shown_at_most);
        fault_.detail(std::move(text));
    }
    return false;
}

bool assign(std::string& out, value&& v, conversion& c) {
    if (v.is_text() || v.kind() == kind::big_number) return out = std::move(v).take_text(), true;
    if (v.kind() == kind::integer) return out = std::to_string(v.integer()), true;
    return c.fail(v, "string");
}

bool assign(std::int64_t& out, value&& v, conversion& c) { return assign_integer(out, v, c); }
bool assign(std::uint64_t& out, value&& v, conversion& c) { return assign_integer(out, v, c); }

bool assign(double& out, value&& v, conversion& c) {
    if (v.kind() == kind::real) return out = v.real(), true;
    if (v.kind() == kind::integer) return out = static_cast<double>(v.integer()), true;
    // from_chars takes inf and nan in any case; the server's own spelling of them is lower case and short.
    if ((v.is_text() || v.kind() == kind::big_number) && parse_all(v.text(), out)) return true;
    return c.fail(v, "double");
}

bool assign(bool& out, value&& v, conversion& c) {
    if (v.kind() == kind::boolean) return out = v.boolean(), true;
    if (v.kind() == kind::integer && (v.integer() == 0 || v.integer() == 1)) return out = v.integer() == 1, true;
    if (v.is_null()) return out = false, true;
    if (v.kind() == kind::simple && v.text() == "OK") return out = true, true;
    return c.fail(v, "boolean");
}

bool take_elements(std::vector<value>& out, value&& v, conversion& c) {
    if (v.kind() != kind::array && v.kind() != kind::set && v.kind() != kind::push) return c.fail(v, "array");
    return out = std::move(v).take_items(), true;
}

bool take_pairs(std::vector<value>& out, value&& v, conversion& c) {
    if (v.kind() == kind::map) return out = std::move(v).take_items(), true;
    if (v.kind() != kind::array) return c.fail(v, "map");
    const auto items = v.items();
    const bool nested = !items.empty() && std::all_of(items.begin(), items.end(), [](const value& item) {
        return item.kind() == kind::array && item.items().size() == 2;
    });
    if (!nested) {
        if (items.size() % 2 != 0) return c.fail(v, "map");
        return out = std::move(v).take_items(), true;
    }
    out.clear();
    for (value& pair : std::move(v).take_items()) {
        auto two = std::move(pair).take_items();
        out.push_back(std::move(two[0]));
        out.push_back(std::move(two[1]));
    }
    return true;
}

}  // namespace detail
}  // namespace redis
}  // namespace rondo::inline v0
