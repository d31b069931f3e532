#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <rondo/detail/programmer_error.hpp>
#include <rondo/error.hpp>

namespace rondo::inline v0 {

/// A value or a fault: the no-throw form of what an awaitable gives. Shaped like std::expected<T, fault>.
///
///     rondo::result<int> r = co_await rondo::as_result(f());
///     if (!r) fmt::print("{}\n", r.error().text());
///
/// Errors: value() throws the fault when there is no value. Thread safety: a value.
template <class T>
class [[nodiscard]] result {
    using stored = std::conditional_t<std::is_void_v<T>, std::monostate,
                                      std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;

public:
    using value_type = T;

    result()
        requires std::is_void_v<T>
        : state_(std::in_place_index<0>) {}
    template <class U = T>
        requires(!std::is_void_v<T> && !std::is_reference_v<T> && !std::is_same_v<std::remove_cvref_t<U>, result> &&
                 !std::is_same_v<std::remove_cvref_t<U>, fault> && std::is_constructible_v<T, U>)
    result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}
    template <class U = T>
        requires std::is_lvalue_reference_v<T>
    result(std::remove_reference_t<U>& value) : state_(std::in_place_index<0>, &value) {}
    result(fault f) : state_(std::in_place_index<1>, std::move(f)) {}

    bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    decltype(auto) value() & { return check(), get(std::get<0>(state_)); }
    decltype(auto) value() const& { return check(), get(std::get<0>(state_)); }
    T value() && {
        check();
        if constexpr (std::is_void_v<T>) return;
        else if constexpr (std::is_reference_v<T>) return *std::get<0>(state_);
        else return std::move(std::get<0>(state_));
    }
    decltype(auto) operator*() & { return get(stored_value()); }
    decltype(auto) operator*() const& { return get(stored_value()); }
    T operator*() && {
        if constexpr (std::is_void_v<T>) return;
        else if constexpr (std::is_reference_v<T>) return *stored_value();
        else return std::move(stored_value());
    }
    auto* operator->()
        requires(!std::is_void_v<T>)
    {
        return std::addressof(get(stored_value()));
    }
    auto* operator->() const
        requires(!std::is_void_v<T>)
    {
        return std::addressof(get(stored_value()));
    }

    /// The fault. Only when has_value() is false.
    const fault& error() const& { return std::get<1>(state_); }
    fault&& error() && { return std::get<1>(std::move(state_)); }

    template <class U>
    T value_or(U&& other) const&
        requires(!std::is_void_v<T>)
    {
        return has_value() ? **this : static_cast<T>(std::forward<U>(other));
    }
    // clang-format off: it takes `&& requires` for an expression
    template <class U>
    T value_or(U&& other) &&
        requires(!std::is_void_v<T>)
    {
        return has_value() ? *std::move(*this) : static_cast<T>(std::forward<U>(other));
    }
    // clang-format on

    private : void check() const {
        if (!has_value()) std::get<1>(state_).raise();
    }
    stored& stored_value() noexcept { return check_stored(), *std::get_if<0>(&state_); }
    const stored& stored_value() const noexcept { return check_stored(), *std::get_if<0>(&state_); }
    void check_stored() const noexcept {
        if (detail::checks_calls && !has_value()) [[unlikely]]
            detail::programmer_error("* or -> of a result that holds a fault: test it first, or use value()");
    }
    template <class S>
    static decltype(auto) get(S& s) {
        if constexpr (std::is_void_v<T>) return;
        else if constexpr (std::is_reference_v<T>) return static_cast<T>(*s);
        else return (s);
    }

    std::variant<stored, fault> state_;
};

}  // namespace rondo::inline v0
