#pragma once

#include <utility>

#include <rondo/detail/awaitable.hpp>
#include <rondo/result.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0 {

namespace detail {

/// The same operation, whose end is a value instead of a throw.
template <bare_operation Op>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] as_result_operation : public Op {
public:
    explicit as_result_operation(Op&& op) : Op(std::move(op)) {}

    auto finish() { return Op::finish_result(); }
    bool failed() const noexcept { return false; }
    auto finish_result() { return result<decltype(Op::finish_result())>(Op::finish_result()); }
};

template <class A>
task<result<await_result_t<A>>> catching(A a) {
    using value = await_result_t<A>;
    try {
        if constexpr (std::is_void_v<value>) {
            co_await std::move(a);
            co_return result<void>();
        } else {
            co_return result<value>(co_await std::move(a));
        }
    } catch (const cancelled&) {
        throw;
    } catch (...) {
        co_return result<value>(current_fault());
    }
}

}  // namespace detail

/// Gives the outcome of `a` as a result instead of throwing it.
///
///     rondo::result<std::size_t> n = co_await rondo::as_result(s.read_some(buffer));
///
/// On an operation nothing is thrown at all; on a task the exception is caught here. A foreign exception is kept inside
/// the fault. Cancellation: of this job still throws `cancelled`.
template <class A>
    requires awaitable<A>
auto as_result(A&& a) {
    static_assert(!std::is_lvalue_reference_v<A>, "an awaitable is awaited once: pass f(), or std::move(t)");
    if constexpr (detail::bare_operation<A>) return detail::as_result_operation<A>(std::move(a));
    else return detail::catching<A>(std::move(a));
}

}  // namespace rondo::inline v0
