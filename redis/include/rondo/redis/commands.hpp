// The commands with a name of their own. Anything else: command<T>("NAME", args…).
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <rondo/error.hpp>
#include <rondo/export.hpp>
#include <rondo/redis/command.hpp>

namespace rondo::inline v0 {
namespace redis {

/// `PING`; the reply is "PONG".
inline command<std::string> ping() { return command<std::string>(shapes(kind::string).status("PONG"), "PING"); }

/// `PING message`; the reply is the message.
inline command<std::string> ping(std::string_view message) {
    return command<std::string>(shapes(kind::string), "PING", message);
}

/// `GET key`; nullopt when there is no such key.
template <class T = std::string>
command<std::optional<T>> get(std::string_view key) {
    return command<std::optional<T>>(shapes(kind::string, kind::null), "GET", key);
}

/// Only set what is not there yet.
class not_exists {
public:
    std::size_t argument_count() const noexcept { return 1; }
    void encode(encoder& e) const { e.add("NX"); }
};
/// Only set what is there already.
class exists {
public:
    std::size_t argument_count() const noexcept { return 1; }
    void encode(encoder& e) const { e.add("XX"); }
};
/// Leave the time to live as it is.
class keep_ttl {
public:
    std::size_t argument_count() const noexcept { return 1; }
    void encode(encoder& e) const { e.add("KEEPTTL"); }
};
/// A time to live in whole seconds.
class ex {
public:
    constexpr explicit ex(std::chrono::seconds ttl) noexcept : ttl_(ttl) {}
    std::size_t argument_count() const noexcept { return 2; }
    void encode(encoder& e) const { e.add("EX").add(static_cast<std::int64_t>(ttl_.count())); }

private:
    std::chrono::seconds ttl_;
};
/// A time to live in milliseconds.
class px {
public:
    constexpr explicit px(std::chrono::milliseconds ttl) noexcept : ttl_(ttl) {}
    std::size_t argument_count() const noexcept { return 2; }
    void encode(encoder& e) const { e.add("PX").add(static_cast<std::int64_t>(ttl_.count())); }

private:
    std::chrono::milliseconds ttl_;
};

inline constexpr not_exists nx{};
inline constexpr exists xx{};

template <class O>
concept set_option = std::same_as<O, not_exists> || std::same_as<O, exists> || std::same_as<O, keep_ttl> ||
                     std::same_as<O, ex> || std::same_as<O, px>;

/// `SET key value`; true when it was set, false when nx or xx forbade it.
///
///     co_await db(set("hits", 0, ex(60s), nx));
template <argument V, set_option... Options>
command<bool> set(std::string_view key, const V& v, const Options&... options) {
    return command<bool>(shapes(kind::null).status("OK"), "SET", key, v, options...);
}

/// `INCR key`; the new value. A server error when the value is no integer.
inline command<std::int64_t> incr(std::string_view key) {
    return command<std::int64_t>(shapes(kind::integer), "INCR", key);
}

/// `DEL key…`; how many there were. Keys are strings or ranges of strings.
template <argument... Keys>
    requires(sizeof...(Keys) > 0)
command<std::int64_t> del(const Keys&... keys) {
    return command<std::int64_t>(shapes(kind::integer), "DEL", keys...);
}

/// Block without end.
class forever_t {};
inline constexpr forever_t forever{};

namespace detail {
/// A server-side timeout in seconds, as text. Throws when it is not positive: zero would mean for ever.
RONDO_API std::string blocking_seconds(std::chrono::milliseconds timeout, std::string_view command);

template <class Rep, class Period>
std::string blocking_seconds(std::chrono::duration<Rep, Period> timeout, std::string_view command) {
    using milliseconds = std::chrono::milliseconds;
    // A cast of what does not fit would overflow; the callee refuses the largest value.
    constexpr std::chrono::duration<double> most = std::chrono::hours(24 * 365 * 1000);
    const bool fits = std::chrono::duration<double>(timeout) < most;
    return blocking_seconds(fits ? std::chrono::ceil<milliseconds>(timeout) : milliseconds::max(), command);
}
}  // namespace detail

/// What BLPOP gives: the key that had an element and the element; nullopt when the time ran out.
using popped = std::optional<std::pair<std::string, std::string>>;

/// `BLPOP key… timeout`, on a connection of its own. `keys` is a string or a range of strings.
///
/// The server keeps the time, in whole milliseconds (rounded up) and with a grain of 1000/hz ms.
/// **Errors**: throws error(errc::invalid_argument) when the timeout is not positive (see `forever`) or longer than a
/// thousand years.
template <argument Keys, class Rep, class Period>
blocking_command<popped> blpop(const Keys& keys, std::chrono::duration<Rep, Period> timeout) {
    return blocking_command<popped>(shapes(kind::array, kind::null), "BLPOP", keys,
                                    detail::blocking_seconds(timeout, "BLPOP"));
}

/// `BLPOP key… 0`: waits until there is an element.
template <argument Keys>
blocking_command<popped> blpop(const Keys& keys, forever_t) {
    return blocking_command<popped>(shapes(kind::array, kind::null), "BLPOP", keys, 0);
}

}  // namespace redis
}  // namespace rondo::inline v0
