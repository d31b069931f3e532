#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include <rondo/detail/awaitable_range.hpp>
#include <rondo/detail/combinator.hpp>
#include <rondo/detail/nonvoid.hpp>

namespace rondo::inline v0 {

namespace detail {

/// First failure cancels the rest; what it was is kept until all have ended.
class when_all_base : public combinator {
protected:
    when_all_base() noexcept : combinator(ops_table) {}
    when_all_base(when_all_base&& other) noexcept : combinator(std::move(other)) {}
    ~when_all_base() = default;

    child_job* failed_ = nullptr;
    bool incomplete_ = false;

private:
    static void child_done(combinator& owner, child_job& c) noexcept {
        auto& self = static_cast<when_all_base&>(owner);
        self.incomplete_ = true;
        const bool own_failure = c.state == settled::error || c.reason == cancel_reason::none;
        if (!own_failure || self.failed_ != nullptr) return;
        self.failed_ = &c;
        self.cancel_children(cancel_reason::sibling_failed);
    }
    static constexpr combinator_ops ops_table{{&forward_cancel, &describe_children}, &child_done, &complete_wait, true};
};

/// Throws what the failed child ended with.
template <class Child>
void rethrow_child(Child& c) {
    if (c.state == settled::cancelled) throw error(errc::cancelled, "when_all");
    static_cast<void>(c.take());  // throws
}

template <class... A>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] when_all_operation : public when_all_base {
public:
    explicit when_all_operation(A&&... a) : children_(to_child(std::move(a))...) {}
    when_all_operation(when_all_operation&&) noexcept = default;

    bool begin() noexcept {
        return std::apply([this](auto&... c) { return this->start_all(c...); }, children_);
    }
    std::tuple<nonvoid<await_result_t<A>>...> finish() {
        if (failed_ != nullptr) {
            std::apply([this](auto&... c) { ((&c == failed_ ? rethrow_child(c) : void()), ...); }, children_);
        }
        if (incomplete_) throw_cancelled();
        return std::apply([](auto&... c) { return std::tuple<nonvoid<await_result_t<A>>...>{take_nonvoid(c)...}; },
                          children_);
    }

private:
    std::tuple<child_of<A>...> children_;
};

template <class Child>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] when_all_range_operation
    : public when_all_base {
public:
    using value_type = typename Child::value_type;

    explicit when_all_range_operation(std::vector<Child> children) : children_(std::move(children)) {}
    when_all_range_operation(when_all_range_operation&&) noexcept = default;

    bool begin() noexcept { return start_each(children_); }
    auto finish() {
        if (failed_ != nullptr) rethrow_child(static_cast<Child&>(*failed_));
        if (incomplete_) throw_cancelled();
        if constexpr (std::is_same_v<Child, child<task<void>>>) {
            return;  // each ended well, and there is nothing to take
        } else if constexpr (std::is_void_v<value_type>) {
            for (Child& c : children_) c.take();
        } else {
            std::vector<value_type> values;
            values.reserve(children_.size());
            for (Child& c : children_) values.push_back(c.take());
            return values;
        }
    }

private:
    std::vector<Child> children_;
};

}  // namespace detail

/// Runs all at once and gives all results, in the order of the arguments.
///
///     auto [user, orders] = co_await rondo::when_all(load_user(7), load_orders(7));
///
/// Takes tasks and any other rondo awaitable; void results stand as std::monostate. They start in order, at once, each
/// until its first wait. Returns when every one has ended.
///
/// Errors: the first failure is thrown; the others are cancelled (reason sibling_failed) and awaited first.
/// Cancellation: cancels all and awaits them. Lifetime: it owns the tasks. Thread safety: one context.
template <class... A>
    requires((awaitable<A> && ...) && sizeof...(A) > 0)
detail::when_all_operation<A...> when_all(A&&... a) {
    static_assert((!std::is_lvalue_reference_v<A> && ...), "an awaitable is awaited once: pass f(), or std::move(t)");
    return detail::when_all_operation<A...>(std::move(a)...);
}

/// The same for a range (a vector of tasks, say): gives a std::vector of results, or nothing for void.
/// An empty range gives an empty vector at once.
template <class R>
    requires detail::awaitable_range<R>
auto when_all(R&& range) {
    static_assert(!std::is_lvalue_reference_v<R>, "the range's tasks are moved out of it: pass std::move(range)");
    return detail::when_all_range_operation(detail::make_children(range));
}

}  // namespace rondo::inline v0
