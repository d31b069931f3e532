#pragma once

#include <source_location>
#include <utility>

#include <rondo/detail/combinator.hpp>
#include <rondo/detail/timer.hpp>
#include <rondo/time.hpp>

namespace rondo::inline v0 {

namespace detail {

/// One child and a timer that cancels it.
class RONDO_API timeout_base : public combinator, public timer {
public:
    /// The deadline it sets, in nanoseconds of the context's clock.
    std::int64_t due() const noexcept { return due_; }
    /// That of a leaf; INT64_MAX when it sets none.
    static std::int64_t due(const leaf& l) noexcept {
        return l.ops == &ops_table ? static_cast<const timeout_base&>(l).due_ : INT64_MAX;
    }

protected:
    timeout_base(std::int64_t due, std::int64_t limit, std::source_location where) noexcept
        : combinator(ops_table), timer(&fired), due_(due), limit_(limit), where_(where) {}
    timeout_base(timeout_base&& other) noexcept
        : combinator(static_cast<combinator&&>(other)),
          timer(&fired),
          due_(other.due_),
          limit_(other.limit_),
          where_(other.where_) {}
    ~timeout_base() {
        if (armed()) disarm(*this);  // a straggler is destroyed while it waits
    }

    bool start(child_job& c) noexcept;
    /// Throws when the child did not end by itself: `cancelled` for this job's cancellation, else timed_out.
    void check(const child_job& c) const;

private:
    static void child_done(combinator& owner, child_job& c) noexcept;
    static void fired(timer& t) noexcept;
    static void describe(const leaf& l, report_line& out);
    static const combinator_ops ops_table;

    std::int64_t due_;
    std::int64_t limit_;  // as it was asked for, for the message; INT64_MIN when a time point was
    std::source_location where_;
};

template <class A>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] timeout_operation : public timeout_base {
public:
    timeout_operation(std::int64_t due, std::int64_t limit, A&& a, std::source_location where)
        : timeout_base(due, limit, where), child_(to_child(std::move(a))) {}
    timeout_operation(timeout_operation&&) noexcept = default;

    bool begin() noexcept { return start(child_); }
    await_result_t<A> finish() {
        check(child_);
        return child_.take();
    }

private:
    child_of<A> child_;
};

}  // namespace detail

/// Gives what `a` gives, or ends it when `limit` has passed.
///
///     std::string line = co_await rondo::with_timeout(2s, read_line(s));
///
/// Returns only when the inner work is gone, so nothing of it is left running: work that does not end when it is
/// cancelled is waited for, and a call of `blocking` that has begun always is. A value that came in spite of the
/// deadline is returned. Deadlines nest: the earliest wins.
///
/// Errors: errc::timed_out, naming the limit and where it was set, for *this* deadline only; errors of `a` unchanged.
/// Cancellation: cancels `a` and awaits it. Lifetime: it owns `a`. Thread safety: one context.
template <class Rep, class Period, class A>
    requires awaitable<A>
detail::timeout_operation<A> with_timeout(std::chrono::duration<Rep, Period> limit, A&& a,
                                          std::source_location where = std::source_location::current()) {
    static_assert(!std::is_lvalue_reference_v<A>, "an awaitable is awaited once: pass f(), or std::move(t)");
    const std::int64_t ns = detail::to_ns(limit);
    return detail::timeout_operation<A>(detail::add_saturated(detail::clock_now(), ns), ns, std::move(a), where);
}

template <class N, class A>
    requires std::is_arithmetic_v<N>
void with_timeout(N, A&&) {
    static_assert(detail::always_false<N>, "with_timeout: of what? Say the unit: with_timeout(5s, f())");
}

/// The same with a point in time. See with_timeout.
template <class A>
    requires awaitable<A>
detail::timeout_operation<A> with_deadline(time_point deadline, A&& a,
                                           std::source_location where = std::source_location::current()) {
    static_assert(!std::is_lvalue_reference_v<A>, "an awaitable is awaited once: pass f(), or std::move(t)");
    return detail::timeout_operation<A>(detail::to_ns(deadline.time_since_epoch()), INT64_MIN, std::move(a), where);
}

}  // namespace rondo::inline v0
