#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include <rondo/detail/awaitable_range.hpp>
#include <rondo/detail/combinator.hpp>

namespace rondo::inline v0 {

namespace detail {

/// Waits for all, whatever becomes of each.
class all_settled_base : public combinator {
protected:
    all_settled_base() noexcept : combinator(ops_table) {}
    all_settled_base(all_settled_base&& other) noexcept : combinator(std::move(other)) {}
    ~all_settled_base() = default;

    /// Throws when this job was cancelled and a child ended by that.
    void check() const {
        if (ended_by_parent_) throw_cancelled();
    }

private:
    static void child_done(combinator& owner, child_job& c) noexcept {
        if (c.state == settled::cancelled && c.reason != cancel_reason::none)
            static_cast<all_settled_base&>(owner).ended_by_parent_ = true;
    }
    static constexpr combinator_ops ops_table{{&forward_cancel, &describe_children}, &child_done, &complete_wait};

    bool ended_by_parent_ = false;
};

template <class... A>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] all_settled_operation final
    : public all_settled_base {
public:
    explicit all_settled_operation(A&&... a) : children_(to_child(std::move(a))...) {}
    all_settled_operation(all_settled_operation&&) noexcept = default;

    bool begin() noexcept {
        return std::apply([this](auto&... c) { return this->start_all(c...); }, children_);
    }
    std::tuple<result<await_result_t<A>>...> finish() {
        check();
        return std::apply([](auto&... c) { return std::tuple<result<await_result_t<A>>...>{c.take_result()...}; },
                          children_);
    }

private:
    std::tuple<child_of<A>...> children_;
};

template <class Child>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] all_settled_range_operation final
    : public all_settled_base {
public:
    explicit all_settled_range_operation(std::vector<Child> children) : children_(std::move(children)) {}
    all_settled_range_operation(all_settled_range_operation&&) noexcept = default;

    bool begin() noexcept { return start_each(children_); }
    std::vector<result<typename Child::value_type>> finish() {
        check();
        std::vector<result<typename Child::value_type>> out;
        out.reserve(children_.size());
        for (Child& c : children_) out.push_back(c.take_result());
        return out;
    }

private:
    std::vector<Child> children_;
};

}  // namespace detail

/// Runs all at once and gives each one's outcome as a result, in the order of the arguments; a failure cancels nobody.
///
///     auto [a, b] = co_await rondo::all_settled(f(), g());
///     if (!a) … a.error().text() …
///
/// Errors: none of its own. Cancellation: cancels all and awaits them. Lifetime: it owns the tasks.
/// Thread safety: one context.
template <class... A>
    requires((awaitable<A> && ...) && sizeof...(A) > 0)
detail::all_settled_operation<A...> all_settled(A&&... a) {
    static_assert((!std::is_lvalue_reference_v<A> && ...), "an awaitable is awaited once: pass f(), or std::move(t)");
    return detail::all_settled_operation<A...>(std::move(a)...);
}

/// The same for a range: gives a vector of results; an empty one for an empty range.
template <class R>
    requires detail::awaitable_range<R>
auto all_settled(R&& range) {
    static_assert(!std::is_lvalue_reference_v<R>, "the range's tasks are moved out of it: pass std::move(range)");
    return detail::all_settled_range_operation(detail::make_children(range));
}

}  // namespace rondo::inline v0
