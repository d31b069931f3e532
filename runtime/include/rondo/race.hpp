#pragma once

#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <rondo/detail/awaitable_range.hpp>
#include <rondo/detail/combinator.hpp>
#include <rondo/detail/nonvoid.hpp>

namespace rondo::inline v0 {

namespace detail {

/// The first to settle wins and the rest is cancelled.
class race_base : public combinator {
protected:
    race_base() noexcept : combinator(ops_table) {}
    race_base(race_base&& other) noexcept : combinator(std::move(other)) {}
    ~race_base() = default;

    /// Throws unless there is a winner that may be taken.
    void check_winner() const {
        if (winner_ == nullptr) throw_cancelled();
        if (winner_->state == settled::cancelled) throw error(errc::cancelled, "race");
    }

    child_job* winner_ = nullptr;

private:
    static void child_done(combinator& owner, child_job& c) noexcept {
        auto& self = static_cast<race_base&>(owner);
        if (self.winner_ != nullptr) return;
        if (c.state == settled::cancelled && c.reason != cancel_reason::none) return;
        self.winner_ = &c;
        self.cancel_children(cancel_reason::lost_race);
    }
    static constexpr combinator_ops ops_table{{&forward_cancel, &describe_children}, &child_done, &complete_wait};
};

template <class... A>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] race_operation : public race_base {
public:
    using value_type = std::variant<nonvoid<await_result_t<A>>...>;

    explicit race_operation(A&&... a) : children_(to_child(std::move(a))...) {}
    race_operation(race_operation&&) noexcept = default;

    bool begin() noexcept {
        return std::apply([this](auto&... c) { return this->start_all(c...); }, children_);
    }
    value_type finish() {
        check_winner();
        return take(std::index_sequence_for<A...>());
    }

private:
    template <std::size_t... I>
    value_type take(std::index_sequence<I...>) {
        std::optional<value_type> won;
        ((&std::get<I>(children_) == winner_
              ? void(won.emplace(std::in_place_index<I>, take_nonvoid(std::get<I>(children_))))
              : void()),
         ...);
        return std::move(*won);
    }

    std::tuple<child_of<A>...> children_;
};

template <class Child>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] race_range_operation : public race_base {
public:
    using value_type = std::pair<std::size_t, nonvoid<typename Child::value_type>>;

    explicit race_range_operation(std::vector<Child> children) : children_(std::move(children)) {}
    race_range_operation(race_range_operation&&) noexcept = default;

    bool begin() noexcept { return start_each(children_); }
    value_type finish() {
        if (children_.empty()) throw error(errc::invalid_argument, "race of an empty range");
        check_winner();
        Child& won = static_cast<Child&>(*winner_);
        return value_type(static_cast<std::size_t>(&won - children_.data()), take_nonvoid(won));
    }

private:
    std::vector<Child> children_;
};

}  // namespace detail

/// Runs all at once and gives the first to settle, value or error; the losers are cancelled and gone when it returns.
///
///     std::variant<reply, std::monostate> first = co_await rondo::race(ask(), rondo::sleep_for(1s));
///     if (first.index() == 1) …  // the sleep won
///
/// The index of the variant is the winner's place; void stands as std::monostate. For several deadlines see
/// with_timeout.
///
/// Errors: the winner's, if it settled by throwing. Cancellation: cancels all and awaits them.
/// Lifetime: it owns the tasks. Thread safety: one context.
template <class... A>
    requires((awaitable<A> && ...) && sizeof...(A) > 0)
detail::race_operation<A...> race(A&&... a) {
    static_assert((!std::is_lvalue_reference_v<A> && ...), "an awaitable is awaited once: pass f(), or std::move(t)");
    return detail::race_operation<A...>(std::move(a)...);
}

/// The same for a range: gives a pair of the winner's index and its value. An empty range throws
/// errc::invalid_argument, since nothing could ever win.
template <class R>
    requires detail::awaitable_range<R>
auto race(R&& range) {
    static_assert(!std::is_lvalue_reference_v<R>, "the range's tasks are moved out of it: pass std::move(range)");
    return detail::race_range_operation(detail::make_children(range));
}

}  // namespace rondo::inline v0
