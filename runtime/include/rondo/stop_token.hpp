#pragma once

#include <optional>
#include <stop_token>
#include <utility>

#include <rondo/cancel_source.hpp>

namespace rondo::inline v0 {

namespace detail {

/// A cancellation whose source is fired by a std::stop_token.
template <class A>
class [[nodiscard]] stop_operation final : public cancellation_operation<A> {
public:
    stop_operation(std::stop_token token, A&& a) : stop_operation(cancel_source(), std::move(token), std::move(a)) {}
    stop_operation(stop_operation&& other) noexcept
        : cancellation_operation<A>(std::move(other)), source_(other.source_), token_(std::move(other.token_)) {}

    bool begin() noexcept {
        callback_.emplace(token_, fire{source_});  // at its last address from here on
        return cancellation_operation<A>::begin();
    }

private:
    struct fire {
        cancel_source source;
        void operator()() const noexcept { source.cancel(); }
    };

    stop_operation(const cancel_source& source, std::stop_token token, A&& a)
        : cancellation_operation<A>(source.token(), std::move(a)), source_(source), token_(std::move(token)) {}

    cancel_source source_;
    std::stop_token token_;
    std::optional<std::stop_callback<fire>> callback_;
};

}  // namespace detail

/// Runs `a` until it ends or the token's std::stop_source asks it to: with_cancellation for programs that use the
/// standard's tokens, such as a std::jthread's.
///
///     std::jthread t([](std::stop_token stop) { rondo::run(serve_until(stop)); });
///     rondo::task<> serve_until(std::stop_token stop) { co_await rondo::with_cancellation(stop, serve()); }
///
/// Errors, Cancellation, Lifetime, Thread safety: as with_cancellation of a cancel_token.
template <class A>
    requires awaitable<A>
[[nodiscard]] detail::stop_operation<A> with_cancellation(std::stop_token token, A&& a) {
    static_assert(!std::is_lvalue_reference_v<A>, "an awaitable is awaited once: pass f(), or std::move(t)");
    return detail::stop_operation<A>(std::move(token), std::move(a));
}

}  // namespace rondo::inline v0
