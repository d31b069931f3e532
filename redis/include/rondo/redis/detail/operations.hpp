// The awaitables that a client makes of commands.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <rondo/detail/nonvoid.hpp>
#include <rondo/redis/command.hpp>
#include <rondo/redis/convert.hpp>
#include <rondo/redis/detail/request.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {
namespace redis {
namespace detail {

/// A request whose replies have types.
class typed_request : public request {
protected:
    using request::request;

    /// Converts the reply to `command`; false when it is of a kind that this command cannot have.
    template <class Command, class Slot>
    bool take(const Command& command, Slot& slot, value&& v) {
        using reply = typename Command::reply_type;
        if (!command.allowed().allow(v)) return false;
        result<reply> r = convert<reply>(std::move(v), command.name());
        if (!r) fail(std::move(r).error());
        else if constexpr (std::is_void_v<reply>) slot.emplace();
        else slot.emplace(*std::move(r));
        return true;
    }
};

/// One command: `Command` is command<T> or blocking_command<T>.
template <class Command>
class [[nodiscard("a command is sent when it is awaited")]] single_operation : public typed_request {
    using reply = typename Command::reply_type;

public:
    single_operation(router_ref r, Command c, bool blocking) noexcept
        : typed_request(std::move(r), 1, blocking), command_(std::move(c)) {}
    single_operation(single_operation&&) noexcept = default;

    reply finish() {
        check();
        if constexpr (!std::is_void_v<reply>) return *std::move(value_);
    }
    result<reply> finish_result() {
        if (failed()) return fault();
        if constexpr (std::is_void_v<reply>) return {};
        else return *std::move(value_);
    }

    std::size_t size() const noexcept override { return command_.encoded().size(); }
    void write(std::string& out) const override { out += command_.encoded().text(); }
    std::string_view name(std::size_t) const noexcept override { return command_.name(); }
    bool deliver(std::size_t, value& v) override { return take(command_, value_, std::move(v)); }

private:
    Command command_;
    std::optional<rondo::detail::nonvoid<reply>> value_;
};

/// Several commands that travel together.
template <class... T>
class [[nodiscard("a pipeline is sent when it is awaited")]] pipeline_operation : public typed_request {
    using replies = std::tuple<rondo::detail::nonvoid<T>...>;

public:
    pipeline_operation(router_ref r, command<T>... c) noexcept
        : typed_request(std::move(r), sizeof...(T), false), commands_(std::move(c)...) {}
    pipeline_operation(pipeline_operation&&) noexcept = default;

    replies finish() {
        check();
        return take_all();
    }
    result<replies> finish_result() {
        if (failed()) return fault();
        return take_all();
    }

    std::size_t size() const noexcept override {
        return std::apply([](const auto&... c) { return (std::size_t{0} + ... + c.encoded().size()); }, commands_);
    }
    void write(std::string& out) const override {
        std::apply([&](const auto&... c) { ((out += c.encoded().text()), ...); }, commands_);
    }
    std::string_view name(std::size_t index) const noexcept override {
        std::string_view found;
        std::size_t i = 0;
        std::apply([&](const auto&... c) { ((i++ == index ? void(found = c.name()) : void()), ...); }, commands_);
        return found;
    }
    bool deliver(std::size_t index, value& v) override { return deliver(index, v, std::index_sequence_for<T...>()); }

private:
    template <std::size_t... I>
    bool deliver(std::size_t index, value& v, std::index_sequence<I...>) {
        bool fits = true;
        ((I == index ? void(fits = take(std::get<I>(commands_), std::get<I>(values_), std::move(v))) : void()), ...);
        return fits;
    }
    replies take_all() {
        return std::apply([](auto&... v) { return replies(*std::move(v)...); }, values_);
    }

    std::tuple<command<T>...> commands_;
    std::tuple<std::optional<rondo::detail::nonvoid<T>>...> values_;
};

}  // namespace detail
}  // namespace redis
}  // namespace rondo::inline v0
