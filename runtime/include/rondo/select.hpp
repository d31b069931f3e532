// Waits in several places, and takes from one.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <rondo/detail/select_case.hpp>
#include <rondo/result.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0 {

/// A branch of select() with what is to be done when it happens. Made by when().
template <detail::selectable Op, class F>
class [[nodiscard("a branch is an argument of select()")]] select_case {
public:
    static constexpr bool has_handler = true;
    static constexpr bool is_otherwise = false;
    using result = typename detail::handled<Op, F>::type;

    select_case(Op&& op, F&& fn) : op_(std::move(op)), fn_(std::move(fn)) {}

    /// With false the branch is left out, as if it were never ready: a source that is at its end, say.
    select_case&& only_if(bool condition) && noexcept {
        enabled_ = condition;
        return std::move(*this);
    }

private:
    template <class...>
    friend class select_operation;

    const detail::leaf* node() const noexcept { return &op_; }
    bool at_once() noexcept { return enabled_ && op_.at_once(); }
    void arm(detail::job* j) noexcept {
        if (!enabled_) return;
        op_.waiting = j;
        op_.arm();
    }
    void disarm() noexcept { op_.disarm(); }
    result finish() {
        if constexpr (std::is_void_v<decltype(op_.finish())>) return op_.finish(), fn_();
        else return fn_(op_.finish());
    }

    Op op_;
    F fn_;
    bool enabled_ = true;
};

/// The branch of select() that happens when no other can at once. Made by otherwise().
template <class F>
class [[nodiscard("a branch is an argument of select()")]] select_otherwise {
public:
    static constexpr bool has_handler = !std::is_same_v<F, std::monostate>;
    static constexpr bool is_otherwise = true;
    using result = typename std::conditional_t<has_handler, std::invoke_result<F&>, std::type_identity<void>>::type;

    explicit select_otherwise(F&& fn) : fn_(std::move(fn)) {}

private:
    template <class...>
    friend class select_operation;

    static const detail::leaf* node() noexcept { return nullptr; }
    static bool at_once() noexcept { return false; }
    static void arm(detail::job*) noexcept {}
    static void disarm() noexcept {}
    static bool failed() noexcept { return false; }
    result finish() {
        if constexpr (has_handler) return fn_();
    }

    [[no_unique_address]] F fn_;
};

/// Whose turn it is among the branches of a select() that are ready at once: first the first, then the second, …
///
///     rondo::select_turns turns;
///     for (;;) co_await rondo::select(turns, rondo::when(a.receive(), use), rondo::when(b.receive(), use));
///
/// Lifetime: outlives the select. Thread safety: one context.
class select_turns {
public:
    std::size_t next(std::size_t branches) noexcept { return turn_++ % branches; }

private:
    std::size_t turn_ = 0;
};

namespace detail {

template <class B>
struct select_branch {
    using type = plain_case<B>;
};
template <class Op, class F>
struct select_branch<select_case<Op, F>> {
    using type = select_case<Op, F>;
};
template <class F>
struct select_branch<select_otherwise<F>> {
    using type = select_otherwise<F>;
};
template <class>
struct is_select_branch : std::false_type {};
template <class Op>
    requires selectable<Op>
struct is_select_branch<Op> : std::true_type {};
template <class Op, class F>
struct is_select_branch<select_case<Op, F>> : std::true_type {};
template <class F>
struct is_select_branch<select_otherwise<F>> : std::true_type {};

template <class First, class... Rest>
inline constexpr bool only_the_last_is_otherwise = only_the_last_is_otherwise<Rest...> && !First::is_otherwise;
template <class Last>
inline constexpr bool only_the_last_is_otherwise<Last> = true;

}  // namespace detail

template <class... Case>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] select_operation : public detail::select_base {
    static constexpr std::size_t count = sizeof...(Case);
    static constexpr bool all_have_handlers = (Case::has_handler && ...);
    static_assert(all_have_handlers || !(Case::has_handler || ...),
                  "select: either every branch has a handler, when(operation, fn), or none has");
    static_assert(detail::only_the_last_is_otherwise<Case...>, "select: otherwise() is the last branch");
    static constexpr bool has_otherwise = (Case::is_otherwise || ...);
    static constexpr bool agree =
        !all_have_handlers ||
        (std::is_same_v<typename Case::result, typename std::tuple_element_t<0, std::tuple<Case...>>::result> && ...);
    static_assert(agree, "select: all handlers return the same type");

public:
    using value_type =
        typename std::conditional_t<all_have_handlers, std::tuple_element<0, std::tuple<typename Case::result...>>,
                                    std::type_identity<std::variant<detail::nonvoid<typename Case::result>...>>>::type;

    explicit select_operation(std::size_t start, Case&&... c)
        : select_base(table), cases_(std::move(c)...), start_(start) {}
    select_operation(select_operation&&) noexcept = default;

    bool begin() noexcept {
        // Nothing is armed before all have been asked: a branch must not meet another one of the same select.
        if (poll(indices())) return false;
        if constexpr (has_otherwise) {
            happens_ = count - 1;
            return false;
        } else {
            std::apply([this](auto&... c) { (c.arm(waiting), ...); }, cases_);
            return true;
        }
    }
    value_type finish() { return take<0>(); }
    // Without handlers it is a child of combinators as it is: what it took goes back when nobody wants it. With them it
    // is a task there: what happened is handled.
    bool failed() const noexcept
        requires(!all_have_handlers)
    {
        bool fails = false;
        std::size_t i = 0;
        std::apply([&](const auto&... c) { ((i++ == happens_ ? void(fails = c.failed()) : void()), ...); }, cases_);
        return fails;
    }
    result<value_type> finish_result()
        requires(!all_have_handlers)
    {
        try {
            return finish();
        } catch (...) {
            return detail::current_fault();
        }
    }

private:
    using indices = std::index_sequence_for<Case...>;

    template <std::size_t... I>
    bool poll(std::index_sequence<I...>) noexcept {
        return ((I >= start_ && poll_one<I>()) || ...) || ((I < start_ && poll_one<I>()) || ...);
    }
    template <std::size_t I>
    bool poll_one() noexcept {
        if (!std::get<I>(cases_).at_once()) return false;
        happens_ = I;
        return true;
    }
    template <std::size_t I>
    value_type take() {
        if constexpr (I + 1 < count) {
            if (happens_ != I) return take<I + 1>();
        }
        auto& c = std::get<I>(cases_);
        if constexpr (all_have_handlers) {
            return c.finish();
        } else if constexpr (std::is_void_v<decltype(c.finish())>) {
            c.finish();
            return value_type(std::in_place_index<I>);
        } else {
            return value_type(std::in_place_index<I>, c.finish());
        }
    }

    static void settle(select_base& s, const leaf* happens) noexcept {
        auto& self = static_cast<select_operation&>(s);
        std::size_t i = 0;
        const auto one = [&](auto& c) {
            if (happens != nullptr && c.node() == happens) self.happens_ = i;
            else c.disarm();
            ++i;
        };
        std::apply([&](auto&... c) { (one(c), ...); }, self.cases_);
    }
    static void describe(const leaf& l, detail::report_line& out) {
        const auto& self = static_cast<const select_operation&>(l);
        describe_start(out, count);
        bool first = true;
        const auto one = [&](const auto& c) {
            if (c.node() != nullptr) describe_branch(out, *c.node(), std::exchange(first, false));
        };
        std::apply([&](const auto&... c) { (one(c), ...); }, self.cases_);
    }
    static constexpr detail::select_ops table{{&select_base::cancel, &describe}, &settle};

    std::tuple<Case...> cases_;
    std::size_t start_;
    std::size_t happens_ = 0;
};

namespace detail {

/// The handlers are coroutines: what the one that was called started is awaited too.
template <class T, class Op>
task<T> select_and_await(Op op) {
    task<T> chosen = co_await op;
    co_return co_await std::move(chosen);
}

template <class... B>
auto make_select(std::size_t start, B&&... branches) {
    static_assert((!std::is_lvalue_reference_v<B> && ...),
                  "an awaitable is awaited once: pass c.receive() itself, or std::move(op)");
    static_assert((is_select_branch<B>::value && ...),
                  "select: takes operations of channels and oneshots, event::wait() and sleeps, bare or in when(), and "
                  "otherwise(); race() takes anything");
    if constexpr ((is_select_branch<B>::value && ...) && (!std::is_lvalue_reference_v<B> && ...)) {
        using op = select_operation<typename select_branch<B>::type...>;
        if constexpr (is_task<typename op::value_type>::value) {
            return select_and_await<typename op::value_type::value_type>(
                op(start, typename select_branch<B>::type(std::move(branches))...));
        } else {
            return op(start, typename select_branch<B>::type(std::move(branches))...);
        }
    }
}

}  // namespace detail

/// A branch of select(): when `op` is what happens, calls `fn` with what it gives.
template <detail::selectable Op, class F>
select_case<Op, F> when(Op&& op, F fn) {
    static_assert(!std::is_lvalue_reference_v<Op>,
                  "an awaitable is awaited once: pass c.receive() itself, or std::move(op)");
    static_assert(detail::handles<Op, F>,
                  "when: the handler is called with what the operation gives: when(c.receive(), "
                  "[](std::optional<T>) {…}), when(c.send(v), [] {…})");
    return select_case<Op, F>(std::move(op), std::move(fn));
}

/// The last branch of a select() that is not to wait: it happens when no other can at once.
inline select_otherwise<std::monostate> otherwise() noexcept {
    return select_otherwise<std::monostate>(std::monostate());
}
template <class F>
select_otherwise<F> otherwise(F fn) {
    static_assert(std::is_invocable_v<F&>, "otherwise: the handler is called with nothing");
    return select_otherwise<F>(std::move(fn));
}

/// Waits until one of several operations can happen, and lets exactly one happen: nothing is taken from the other
/// channels, and nothing is sent into them.
///
///     co_await rondo::select(rondo::when(stop.wait(), [&] { running = false; }),
///                            rondo::when(jobs.receive(), [&](std::optional<job> j) { … }),
///                            rondo::when(results.send(r), [&] { … }),
///                            rondo::when(rondo::sleep_for(100ms), [&] { … }));
///
/// The operations are receives and sends of channels, receives of oneshots, event::wait() and sleeps, all as they are
/// awaited alone. With handlers it gives what the called one returns; handlers that are coroutines (return a task) are
/// awaited. Without, `select(jobs.receive(), stop.wait())`, it gives a std::variant whose index is the branch, as
/// race() does. With otherwise() as last branch it never waits.
///
/// Several ready at once: the first in the order given wins, so put first what is urgent. A branch before others that
/// is always ready starves them; with select_turns as first argument they take turns. A closed channel is ready: its
/// receive gives std::nullopt, its send throws errc::closed; when(…).only_if(false) leaves a branch out.
///
/// Errors: those of the operation that happens, and of its handler. Cancellation: ends at once and nothing happens;
/// what has happened when the cancel came is handled. Lifetime: as the operations. Thread safety: one context.
template <class... B>
    requires(sizeof...(B) > 0)
auto select(B&&... branches) {
    return detail::make_select(0, std::forward<B>(branches)...);
}
template <class... B>
    requires(sizeof...(B) > 0)
auto select(select_turns& turns, B&&... branches) {
    return detail::make_select(turns.next(sizeof...(B)), std::forward<B>(branches)...);
}

}  // namespace rondo::inline v0
