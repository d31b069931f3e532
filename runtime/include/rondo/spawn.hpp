#pragma once

#include <source_location>
#include <type_traits>
#include <utility>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/spawned.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

namespace detail {

template <class T>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] join_operation : public list_waiter {
public:
    explicit join_operation(spawned<T>& j) noexcept : list_waiter("join"), job_(&j) { j.add_ref(); }
    join_operation(join_operation&& other) noexcept
        : list_waiter(static_cast<list_waiter&&>(other)), job_(std::exchange(other.job_, nullptr)) {}
    join_operation& operator=(join_operation&&) = delete;
    ~join_operation() {
        if (job_ != nullptr) job_->drop_ref();
    }

    bool begin() noexcept {
        if (job_->is_done()) return false;
        job_->waiters().push_back(*this);
        return true;
    }
    T finish() {
        job_->observed();
        if (job_->state == settled::cancelled) throw error(was_cancelled());
        return job_->take();
    }
    bool failed() const noexcept { return job_->state != settled::value; }
    result<T> finish_result() {
        job_->observed();
        if (job_->state == settled::cancelled) return was_cancelled();
        try {
            if constexpr (std::is_void_v<T>) return job_->take(), result<T>();
            else return job_->take();
        } catch (...) {
            return current_fault();
        }
    }

private:
    fault was_cancelled() const {
        return fault(errc::cancelled, std::string("join ") + job_->name())
            .detail(std::string("reason: ") + to_string(job_->reason));
    }

    spawned<T>* job_;
};

}  // namespace detail

/// The spawner's hold on a spawned job.
///
/// Dropping it detaches: the job goes on, and an error nobody observes goes once to on_report with the job's name and
/// origin. Lifetime: may outlive the job; not the run. Thread safety: one context.
template <class T>
class [[nodiscard("dropping the handle detaches the job; say so with .detach()")]] join_handle {
public:
    explicit join_handle(detail::spawned<T>& j) noexcept : job_(&j) {}
    join_handle(join_handle&& other) noexcept : job_(std::exchange(other.job_, nullptr)) {}
    join_handle& operator=(join_handle&& other) noexcept {
        if (this != &other) {
            detach();
            job_ = std::exchange(other.job_, nullptr);
        }
        return *this;
    }
    ~join_handle() { detach(); }

    /// Waits for the end and gives the value; a value is moved out, so only the first join has it.
    ///
    /// Errors: what the job threw; errc::cancelled when *it* was cancelled. Cancellation: of the waiting job ends the
    /// wait, not the spawned job.
    detail::join_operation<T> join() const noexcept { return detail::join_operation<T>(job()); }
    /// Asks the job to end. Its current wait and every later one throws `cancelled` in it.
    void cancel(cancel_reason why = cancel_reason::requested) const noexcept { detail::cancel(job(), why); }
    bool is_done() const noexcept { return job().is_done(); }
    /// `co_await h` is `co_await h.join()`.
    detail::join_operation<T> operator co_await() const noexcept { return join(); }
    /// Gives the hold up.
    void detach() noexcept {
        if (job_ != nullptr) std::exchange(job_, nullptr)->drop_ref();
    }
    explicit operator bool() const noexcept { return job_ != nullptr; }

private:
    detail::spawned<T>& job() const noexcept {
        if (detail::checks_calls && job_ == nullptr) [[unlikely]]
            detail::programmer_error("a join_handle that was moved from or detached is used");
        return *job_;
    }

    detail::spawned<T>* job_;
};

/// Starts `t` as a job of its own, on this context's next turn, and gives a handle to wait for it.
///
///     auto h = rondo::spawn(serve(7), "serve");
///     … int n = co_await h.join();
///
/// `name` appears in dumps and reports; it is not copied: pass a literal. The job ends with the run at the latest: when
/// the main task is done it is cancelled (reason shutdown) and awaited.
/// Errors: errc::no_context outside a run. Thread safety: one context.
template <class T>
join_handle<T> spawn(task<T> t, const char* name = "spawned",
                     std::source_location origin = std::source_location::current()) {
    auto* const j = new detail::spawned<T>(std::move(t), name, origin);
    join_handle<T> handle(*j);
    j->start();
    return handle;
}

namespace detail {

/// A detached job that runs until its first wait before this returns.
template <class T>
void start_now(task<T> t, const char* name, std::source_location origin = std::source_location::current()) {
    auto* const j = new spawned<T>(std::move(t), name, origin);
    const join_handle<T> handle(*j);
    j->start_now();
}

template <class F, class... Args>
inline constexpr bool is_spawnable = false;
template <class F, class... Args>
    requires std::is_invocable_v<F&, Args...>
inline constexpr bool is_spawnable<F, Args...> = is_task<std::invoke_result_t<F&, Args...>>::value;

/// Says what is wrong with a callable that is to become a job.
template <class F, class... Args>
constexpr void check_spawnable() {
    using plain = std::remove_cvref_t<F>;
    static_assert(std::is_invocable_v<F&, Args...>,
                  "spawn: takes a task, or a function that gives one and the arguments for it");
    static_assert(
        std::is_empty_v<plain> || std::is_function_v<std::remove_pointer_t<plain>>,
        "spawn: a capturing lambda dies before its coroutine ends; pass a function or a captureless lambda and "
        "give it what it needs as arguments");
    if constexpr (std::is_invocable_v<F&, Args...>)
        static_assert(is_spawnable<F, Args...>, "spawn: the function has to give a rondo::task");
}

}  // namespace detail

/// The same for a function and its arguments, which are copied or moved into the coroutine. The job's name is
/// "spawned"; write spawn(fn(args…), "name") for another.
template <class F, class... Args>
    requires(!detail::is_task<std::remove_cvref_t<F>>::value)
auto spawn(F&& fn, Args&&... args) {
    detail::check_spawnable<F, Args...>();
    if constexpr (detail::is_spawnable<F, Args...>) return spawn(fn(std::forward<Args>(args)...), "spawned");
}

}  // namespace rondo::inline v0
