// Work for another context of the same run.
#pragma once

#include <source_location>
#include <utility>
#include <vector>

#include <rondo/context.hpp>
#include <rondo/detail/submitted.hpp>
#include <rondo/spawn.hpp>
#include <rondo/when_all.hpp>

namespace rondo::inline v0 {

namespace detail {

template <class T>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] on_operation : public submitted_result<T> {
public:
    on_operation(rondo::context where, task<T> t, const char* name, std::source_location origin)
        : submitted_result<T>(*new submitted<T>(std::move(t), name, origin), submitted_wait::on_cancel::pass_on),
          where_(std::move(where)) {}
    on_operation(on_operation&&) noexcept = default;
    ~on_operation() {
        if (this->submitted_ != nullptr && !sent_) this->submitted_->drop_ref();  // the context's, which never had it
    }

    bool begin() noexcept {
        const bool waits = this->register_wait();
        sent_ = true;
        this->submitted_->send(where_.home(), where_.list());
        return waits;
    }

private:
    rondo::context where_;
    bool sent_ = false;
};

}  // namespace detail

/// Runs `t` on another context of this run, and gives what it gives.
///
///     int n = co_await rondo::on(rondo::context::at(1), count_words(text));
///
/// The task is made here and runs there from its first line to its end; its arguments and its result are moved between
/// the threads, so neither may refer to what belongs to one context: no streams, no locks, no references to locals that
/// are changed meanwhile. `name` appears in dumps and reports; it is not copied: pass a literal.
///
/// Errors: those of `t`, unchanged; errc::closed when that context has ended; errc::cancelled when `t` was cancelled
/// there and not by this job. Cancellation: cancels `t` and awaits it; a value that came in spite of that is returned.
/// Lifetime: it owns `t`. Thread safety: any context of the run.
template <class T>
detail::on_operation<T> on(context where, task<T> t, const char* name = "on",
                           std::source_location origin = std::source_location::current()) {
    return detail::on_operation<T>(std::move(where), std::move(t), name, origin);
}

namespace detail {
template <class T>
task<T> as_task_on(on_operation<T> op) {
    co_return co_await std::move(op);
}
}  // namespace detail

/// Starts `t` on another context and gives a handle to wait for it here: a spawned job that awaits `on(where, t)`.
///
///     auto h = rondo::spawn_on(rondo::context::at(1), index(path), "index");
///
/// See spawn and on.
template <class T>
join_handle<T> spawn_on(context where, task<T> t, const char* name = "spawned",
                        std::source_location origin = std::source_location::current()) {
    return spawn(detail::as_task_on(on(std::move(where), std::move(t), name, origin)), name, origin);
}

/// Calls `fn(context)`, a coroutine, for every context of the run, at once, each on its own, and gives the results in
/// the order of their numbers: for what each needs one of, such as a listener.
///
///     co_await rondo::for_each_context([&](rondo::context) { return accept_loop(port); });
///
/// Errors, Cancellation: as when_all. Lifetime: `fn` lives until all have ended.
template <class F>
auto for_each_context(F fn)
    -> task<decltype(when_all(std::declval<std::vector<
                                  detail::on_operation<typename std::invoke_result_t<F&, context>::value_type>>>())
                         .finish())> {
    using T = typename std::invoke_result_t<F&, context>::value_type;
    std::vector<detail::on_operation<T>> each;
    const std::size_t count = context::count();
    each.reserve(count);
    for (std::size_t i = 0; i < count; ++i) each.push_back(on(context::at(i), fn(context::at(i)), "for_each_context"));
    co_return co_await when_all(std::move(each));
}

}  // namespace rondo::inline v0
