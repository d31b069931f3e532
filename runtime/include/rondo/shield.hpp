#pragma once

#include <utility>

#include <rondo/detail/combinator.hpp>

namespace rondo::inline v0 {

namespace detail {

class RONDO_API shield_base : public combinator {
public:
    using waits_when_cancelled = void;

    /// Cancels what a shield protects, when the grace period is over. No effect on other leaves.
    static void break_open(leaf& l) noexcept;

protected:
    shield_base() noexcept : combinator(ops_table) {}
    shield_base(shield_base&& other) noexcept : combinator(std::move(other)) {}
    ~shield_base() = default;

private:
    static void child_done(combinator&, child_job&) noexcept {}
    static void ignore_cancel(leaf&, worklist&) noexcept {}
    static const combinator_ops ops_table;
};

template <class A>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] shield_operation : public shield_base {
public:
    explicit shield_operation(A&& a) : child_(to_child(std::move(a))) {}
    shield_operation(shield_operation&&) noexcept = default;

    bool begin() noexcept { return start_all(child_); }
    await_result_t<A> finish() {
        if (child_.state == settled::cancelled) {
            if (parent_cancelled()) throw_cancelled();  // broken open at the end of the grace period
            throw error(errc::cancelled, "shield");
        }
        return child_.take();
    }

private:
    child_of<A> child_;
};

}  // namespace detail

/// Runs `a` to its end even when this job is cancelled, before or meanwhile; the await after it then throws
/// `cancelled`.
///
/// For clean-up that has to wait. Errors: those of `a`. Cancellation: not passed on to `a`; bound its time with
/// with_timeout inside. Thread safety: one context.
template <class A>
    requires awaitable<A>
detail::shield_operation<A> shield(A&& a) {
    static_assert(!std::is_lvalue_reference_v<A>, "an awaitable is awaited once: pass f(), or std::move(t)");
    return detail::shield_operation<A>(std::move(a));
}

}  // namespace rondo::inline v0
