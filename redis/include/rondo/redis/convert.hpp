// From a reply to the C++ type that was asked for.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <rondo/export.hpp>
#include <rondo/redis/error.hpp>
#include <rondo/redis/value.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {
namespace redis {

namespace detail {

/// What a conversion reports: the command it speaks for, and the fault when it fails.
class RONDO_API conversion {
public:
    explicit conversion(std::string_view operation) noexcept : operation_(operation) {}

    /// Records that `v` is no `wanted` (or that it is a server error) and gives false.
    bool fail(const value& v, std::string_view wanted);
    /// The fault of a server error.
    rondo::fault server(const value& v) const;
    rondo::fault& fault() noexcept { return fault_; }

private:
    std::string_view operation_;
    rondo::fault fault_;
};

/// Of what no other overload takes.
template <class T>
bool assign(T&, value&&, conversion&) {
    static_assert(std::is_void_v<T>, "redis: no reply can become this type; what can is listed at redis::convert");
    return false;
}
RONDO_API bool assign(std::string& out, value&& v, conversion& c);
RONDO_API bool assign(std::int64_t& out, value&& v, conversion& c);
RONDO_API bool assign(std::uint64_t& out, value&& v, conversion& c);
RONDO_API bool assign(double& out, value&& v, conversion& c);
RONDO_API bool assign(bool& out, value&& v, conversion& c);
/// Elements of an array, set or push; fails on anything else.
RONDO_API bool take_elements(std::vector<value>& out, value&& v, conversion& c);
/// Keys and values in turn, from a map, from an array of two-element arrays, or from a flat array (RESP2).
RONDO_API bool take_pairs(std::vector<value>& out, value&& v, conversion& c);

inline bool assign(value& out, value&& v, conversion&) { return out = std::move(v), true; }

template <class T>
concept narrow_integral = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, std::int64_t> &&
                          !std::same_as<T, std::uint64_t> && !std::same_as<T, char>;

template <narrow_integral T>
bool assign(T& out, value&& v, conversion& c);
inline bool assign(float& out, value&& v, conversion& c);
template <class T>
bool assign(std::optional<T>& out, value&& v, conversion& c);
template <class T>
bool assign(std::vector<T>& out, value&& v, conversion& c);
template <class K, class V>
bool assign(std::vector<std::pair<K, V>>& out, value&& v, conversion& c);
template <class K, class V, class... More>
bool assign(std::map<K, V, More...>& out, value&& v, conversion& c);
template <class K, class V, class... More>
bool assign(std::unordered_map<K, V, More...>& out, value&& v, conversion& c);
template <class A, class B>
bool assign(std::pair<A, B>& out, value&& v, conversion& c);
template <class... T>
bool assign(std::tuple<T...>& out, value&& v, conversion& c);

template <narrow_integral T>
bool assign(T& out, value&& v, conversion& c) {
    using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    wide w = 0;
    if (!assign(w, std::move(v), c)) return false;
    if (!std::in_range<T>(w)) return c.fail(value::big_number(std::to_string(w)), "integer of the asked size");
    return out = static_cast<T>(w), true;
}

inline bool assign(float& out, value&& v, conversion& c) {
    double d = 0;
    if (!assign(d, std::move(v), c)) return false;
    return out = static_cast<float>(d), true;
}

template <class T>
bool assign(std::optional<T>& out, value&& v, conversion& c) {
    if (v.is_null()) return out.reset(), true;
    return assign(out.emplace(), std::move(v), c);
}

template <class T>
bool assign(std::vector<T>& out, value&& v, conversion& c) {
    std::vector<value> items;
    if (!take_elements(items, std::move(v), c)) return false;
    out.clear();
    out.reserve(items.size());
    for (value& item : items) {
        T element{};
        if (!assign(element, std::move(item), c)) return false;
        out.push_back(std::move(element));
    }
    return true;
}

template <class K, class V, class Insert>
bool assign_pairs(value&& v, conversion& c, Insert insert) {
    std::vector<value> flat;
    if (!take_pairs(flat, std::move(v), c)) return false;
    for (std::size_t i = 0; i + 1 < flat.size(); i += 2) {
        K key{};
        V mapped{};
        if (!assign(key, std::move(flat[i]), c) || !assign(mapped, std::move(flat[i + 1]), c)) return false;
        insert(std::move(key), std::move(mapped));
    }
    return true;
}

template <class K, class V>
bool assign(std::vector<std::pair<K, V>>& out, value&& v, conversion& c) {
    out.clear();
    return assign_pairs<K, V>(std::move(v), c, [&](K&& k, V&& m) { out.emplace_back(std::move(k), std::move(m)); });
}

template <class K, class V, class... More>
bool assign(std::map<K, V, More...>& out, value&& v, conversion& c) {
    out.clear();
    return assign_pairs<K, V>(std::move(v), c, [&](K&& k, V&& m) { out.insert_or_assign(std::move(k), std::move(m)); });
}

template <class K, class V, class... More>
bool assign(std::unordered_map<K, V, More...>& out, value&& v, conversion& c) {
    out.clear();
    return assign_pairs<K, V>(std::move(v), c, [&](K&& k, V&& m) { out.insert_or_assign(std::move(k), std::move(m)); });
}

template <class Tuple>
bool assign_fixed(Tuple& out, value&& v, conversion& c) {
    constexpr std::size_t n = std::tuple_size_v<Tuple>;
    if (v.items().size() != n && !v.is_error()) return c.fail(v, "array of " + std::to_string(n));
    std::vector<value> items;
    if (!take_elements(items, std::move(v), c)) return false;
    std::size_t i = 0;
    return std::apply([&](auto&... element) { return (assign(element, std::move(items[i++]), c) && ...); }, out);
}

template <class A, class B>
bool assign(std::pair<A, B>& out, value&& v, conversion& c) {
    return assign_fixed(out, std::move(v), c);
}

template <class... T>
bool assign(std::tuple<T...>& out, value&& v, conversion& c) {
    return assign_fixed(out, std::move(v), c);
}

}  // namespace detail

/// Converts a reply to `T`, or says why it cannot.
///
/// | T | takes |
/// |---|---|
/// | std::string | string, status, verbatim text; integer and big number in digits |
/// | integral | integer, or text of digits, within the range of T |
/// | double, float | double, integer, or text of a number |
/// | bool | boolean, integer 0 or 1, status `OK`; null is false ("it was not done") |
/// | std::optional<U> | null is nullopt, else as U |
/// | std::vector<U> | array or set; of pairs: see the maps |
/// | std::map, std::unordered_map | map, array of pairs, flat array; the last of equal keys wins |
/// | std::pair, std::tuple | array of exactly that many |
/// | redis::value | anything but a server error |
/// | void | anything but a server error, thrown away |
///
/// **Errors**: a server error gives errc::server with outcome `refused` and the error's line as detail; a reply that
/// does not fit gives errc::conversion naming `operation`, the type wanted and the reply.
template <class T>
result<T> convert(value v, std::string_view operation = {}) {
    detail::conversion c(operation);
    if (v.is_error()) return c.server(v);
    if constexpr (std::is_void_v<T>) {
        return {};
    } else {
        T out{};
        if (!detail::assign(out, std::move(v), c)) return std::move(c.fault());
        return out;
    }
}

}  // namespace redis
}  // namespace rondo::inline v0
