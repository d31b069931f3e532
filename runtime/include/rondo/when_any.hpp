#pragma once

#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <rondo/aggregate_error.hpp>
#include <rondo/detail/awaitable_range.hpp>
#include <rondo/detail/combinator.hpp>
#include <rondo/detail/nonvoid.hpp>

namespace rondo::inline v0 {

namespace detail {

/// The first success wins and the rest is cancelled.
class when_any_base : public combinator {
protected:
    when_any_base() noexcept : combinator(ops_table) {}
    when_any_base(when_any_base&& other) noexcept : combinator(std::move(other)) {}
    ~when_any_base() = default;

    child_job* winner_ = nullptr;
    bool ended_by_parent_ = false;

private:
    static void child_done(combinator& owner, child_job& c) noexcept {
        auto& self = static_cast<when_any_base&>(owner);
        if (self.winner_ != nullptr) return;
        if (c.state == settled::value) {
            self.winner_ = &c;
            self.cancel_children(cancel_reason::lost_race);
        } else if (c.state == settled::cancelled && c.reason != cancel_reason::none) {
            self.ended_by_parent_ = true;
        }
    }
    static constexpr combinator_ops ops_table{{&forward_cancel, &describe_children}, &child_done, &complete_wait};
};

template <class... A>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] when_any_operation final
    : public when_any_base {
public:
    using value_type = std::variant<nonvoid<await_result_t<A>>...>;

    explicit when_any_operation(A&&... a) : children_(to_child(std::move(a))...) {}
    when_any_operation(when_any_operation&&) noexcept = default;

    bool begin() noexcept {
        return std::apply([this](auto&... c) { return this->start_all(c...); }, children_);
    }
    value_type finish() {
        if (winner_ == nullptr) {
            if (ended_by_parent_) throw_cancelled();
            std::vector<fault> faults;
            std::apply([&](auto&... c) { (faults.push_back(c.take_result().error()), ...); }, children_);
            throw aggregate_error(std::move(faults));
        }
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
class [[nodiscard("nothing happens until it is awaited: co_await it")]] when_any_range_operation final
    : public when_any_base {
public:
    using value_type = std::pair<std::size_t, nonvoid<typename Child::value_type>>;

    explicit when_any_range_operation(std::vector<Child> children) : children_(std::move(children)) {}
    when_any_range_operation(when_any_range_operation&&) noexcept = default;

    bool begin() noexcept { return start_each(children_); }
    value_type finish() {
        if (winner_ == nullptr) {
            if (ended_by_parent_) throw_cancelled();
            std::vector<fault> faults;
            for (Child& c : children_) faults.push_back(c.take_result().error());
            throw aggregate_error(std::move(faults));
        }
        Child& won = static_cast<Child&>(*winner_);
        return value_type(static_cast<std::size_t>(&won - children_.data()), take_nonvoid(won));
    }

private:
    std::vector<Child> children_;
};

}  // namespace detail

/// Runs all at once and gives the first success; the others are cancelled and gone when it returns.
///
///     std::variant<page, page> p = co_await rondo::when_any(fetch(mirror_a), fetch(mirror_b));
///
/// The index of the variant is the winner's place; void stands as std::monostate. Compare race, where a failure may
/// win. Errors: aggregate_error with every fault when all fail. Cancellation: cancels all and awaits them. Lifetime: it
/// owns the tasks. Thread safety: one context.
template <class... A>
    requires((awaitable<A> && ...) && sizeof...(A) > 0)
detail::when_any_operation<A...> when_any(A&&... a) {
    static_assert((!std::is_lvalue_reference_v<A> && ...), "an awaitable is awaited once: pass f(), or std::move(t)");
    return detail::when_any_operation<A...>(std::move(a)...);
}

/// The same for a range: a pair of the winner's index and its value. An empty range throws an aggregate_error without
/// faults, since nothing can succeed.
template <class R>
    requires detail::awaitable_range<R>
auto when_any(R&& range) {
    static_assert(!std::is_lvalue_reference_v<R>, "the range's tasks are moved out of it: pass std::move(range)");
    return detail::when_any_range_operation(detail::make_children(range));
}

}  // namespace rondo::inline v0
