// A command as a value: its bytes, and the type of its reply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <rondo/bytes.hpp>
#include <rondo/export.hpp>
#include <rondo/redis/encoder.hpp>
#include <rondo/redis/value.hpp>

namespace rondo::inline v0 {
namespace redis {

/// The reply kinds a command can have. A reply outside them means that replies and commands no longer match, so the
/// client closes the connection before the value reaches anybody. Server errors are always allowed.
class shapes {
public:
    /// Any reply.
    constexpr shapes() noexcept : mask_(0xffff) {}
    /// One of these kinds.
    template <std::same_as<kind>... K>
        requires(sizeof...(K) > 0)
    constexpr explicit shapes(K... kinds) noexcept : mask_(static_cast<std::uint16_t>((bit(kinds) | ...))) {}

    /// Adds a status line of exactly this text. Lifetime: a literal; it is kept as a view.
    constexpr shapes& status(std::string_view text) noexcept { return status_ = text, *this; }

    bool allow(const value& v) const noexcept {
        if ((mask_ & bit(v.kind())) != 0 || v.is_error()) return true;
        return !status_.empty() && v.kind() == kind::simple && v.text() == status_;
    }

private:
    static constexpr unsigned bit(kind k) noexcept { return 1U << static_cast<unsigned>(k); }

    std::uint16_t mask_;
    std::string_view status_;
};

namespace detail {

/// What `command` and `blocking_command` share.
class command_data {
public:
    template <class... Args>
    explicit command_data(shapes allowed, std::string_view name, const Args&... args)
        : encoded_(name, (std::size_t{0} + ... + count_argument(args))), allowed_(allowed) {
        (add_argument(encoded_, args), ...);
    }

    /// The bytes that go to the server. Lifetime: those of the command.
    bytes encoded() const noexcept { return encoded_.encoded(); }
    /// The command's own name, such as `GET`.
    std::string_view name() const noexcept { return encoded_.name(); }
    const shapes& allowed() const noexcept { return allowed_; }

private:
    encoder encoded_;
    shapes allowed_;
};

}  // namespace detail

/// A command that owns its encoded bytes and knows that its reply is a `T`.
///
///     co_await db(redis::command<std::int64_t>("LPUSH", "jobs", payload));
///     co_await db(redis::command<std::map<std::string, std::string>>("CONFIG", "GET", "hz"));
///
/// The first argument is one word (a container command's second word is an argument); see `argument` for what may
/// follow, and convert() for what `T` may be. Commands that block (BLPOP …) must be `blocking_command`s, or they
/// hold up every other command of the connection; commands that change the connection's state (SELECT, MULTI, WATCH,
/// SUBSCRIBE, MONITOR, CLIENT REPLY, RESET, HELLO, AUTH) must not be sent through a shared client at all.
/// Thread safety: a value.
template <class T>
class [[nodiscard]] command : public detail::command_data {
public:
    using reply_type = T;

    template <argument... Args>
    explicit command(std::string_view name, const Args&... args) : command_data(shapes(), name, args...) {}
    /// The same with the reply kinds that the server may answer with.
    template <argument... Args>
    explicit command(shapes allowed, std::string_view name, const Args&... args)
        : command_data(allowed, name, args...) {}
};

/// A command that may keep its connection waiting on the server: it gets a connection of its own for the while.
///
/// A type of its own, so that it cannot go where it would stall others (a pipeline).
template <class T>
class [[nodiscard]] blocking_command : public detail::command_data {
public:
    using reply_type = T;

    template <argument... Args>
    explicit blocking_command(std::string_view name, const Args&... args) : command_data(shapes(), name, args...) {}
    template <argument... Args>
    explicit blocking_command(shapes allowed, std::string_view name, const Args&... args)
        : command_data(allowed, name, args...) {}
};

}  // namespace redis
}  // namespace rondo::inline v0
