// Jobs that end before the scope they were started in.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include <rondo/detail/combinator.hpp>
#include <rondo/detail/spawned.hpp>
#include <rondo/spawn.hpp>

namespace rondo::inline v0 {

namespace detail {

/// The wait of with_scope: one child is its body, the others come and go.
class RONDO_API scope_base : public combinator {
public:
    scope_base(const scope_base&) = delete;
    scope_base& operator=(const scope_base&) = delete;

    /// Starts it on this context's next turn.
    void add(spawned_job& j) noexcept;
    void cancel_all(cancel_reason why) noexcept;
    std::size_t size() const noexcept { return size_; }
    /// A child's end.
    void ended(spawned_job& j, settled how) noexcept;

protected:
    scope_base() noexcept : combinator(ops_table) {}
    ~scope_base();

    bool start(child_job& body) noexcept;
    /// Throws when a child failed, or when there is no body.
    void check();
    /// Throws when the body was cancelled.
    void check(const child_job& body) const;

    std::exception_ptr failure_;

private:
    static void child_done(combinator& owner, child_job& c) noexcept;
    static void cancel_leaf(leaf& l, worklist& list) noexcept;
    static void describe(const leaf& l, report_line& out);
    static const combinator_ops ops_table;
    void collect_all(worklist& list, cancel_reason why) noexcept;
    void unlink(spawned_job& j) noexcept;
    void fail() noexcept;

    spawned_job* children_ = nullptr;
    std::size_t size_ = 0;
    cancel_reason closed_ = cancel_reason::none;  // why children that come later will not be started
    bool failed_ = false;
    bool incomplete_ = false;  // a job ended because the scope was cancelled
};

/// A spawned job that its scope owns and not the context.
template <class T>
class scoped final : public spawned<T> {
public:
    scoped(scope_base& s, task<T> t, const char* name, std::source_location origin) noexcept
        : spawned<T>(table, std::move(t), name, origin), scope_(&s) {}

private:
    ~scoped() = default;
    static void finish(job& j, promise_base& root) noexcept {
        auto& self = static_cast<scoped&>(j);
        self.scope_->ended(self, root.state);
    }
    static const detail::leaf* within(const job& j) noexcept { return static_cast<const scoped&>(j).scope_; }
    static void destroy(spawned_job& j) noexcept { delete static_cast<scoped*>(&j); }
    static constexpr spawned_ops table{
        {&finish, &spawned_job::run, &within, &spawned_job::describe, &spawned_job::name_of},
        &spawned<T>::root,
        &spawned<T>::drop_task,
        &destroy};

    scope_base* scope_;
};

}  // namespace detail

/// The hold on a job of a scope. Unlike a join_handle it may be dropped without a word: the scope waits for the job.
template <class T>
class scoped_handle : public join_handle<T> {
public:
    using join_handle<T>::join_handle;
};

/// Where with_scope's body starts jobs. Lives as long as the last of them; pass it on by reference.
class scope {
public:
    explicit scope(detail::scope_base& s) noexcept : base_(&s) {}
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

    /// Starts `t` as a job of the scope, on this context's next turn. Jobs of the scope may start others in it. Once
    /// the scope is being cancelled or a job of it has failed, `t` is not started any more.
    ///
    /// `name` appears in dumps and reports; it is not copied: pass a literal. Errors of the job: see with_scope.
    template <class T>
    scoped_handle<T> spawn(task<T> t, const char* name = "scoped",
                           std::source_location origin = std::source_location::current()) {
        auto* const j = new detail::scoped<T>(*base_, std::move(t), name, origin);
        scoped_handle<T> handle(*j);
        base_->add(*j);
        return handle;
    }
    /// The same for a function and its arguments, as rondo::spawn takes them.
    template <class F, class... Args>
        requires(!detail::is_task<std::remove_cvref_t<F>>::value)
    auto spawn(F&& fn, Args&&... args) {
        detail::check_spawnable<F, Args...>();
        if constexpr (detail::is_spawnable<F, Args...>) return spawn(fn(std::forward<Args>(args)...));
    }

    /// Asks every job that is in it now to end; the body goes on, and may start others.
    void cancel(cancel_reason why = cancel_reason::requested) noexcept { base_->cancel_all(why); }
    /// Jobs that have not ended, without the body.
    std::size_t size() const noexcept { return base_->size(); }

private:
    detail::scope_base* base_;
};

namespace detail {

template <class F>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] scope_operation : public scope_base {
public:
    using body_task = std::invoke_result_t<F&, scope&>;
    using value_type = typename body_task::value_type;

    explicit scope_operation(F&& fn) : fn_(std::forward<F>(fn)), scope_(*this) {}
    scope_operation(scope_operation&& other) noexcept(std::is_nothrow_move_constructible_v<F>)  // before it begins
        : fn_(std::forward<F>(other.fn_)), scope_(*this) {}

    bool begin() noexcept {
        try {
            body_.emplace(fn_(scope_));  // only now: it refers to this
        } catch (...) {
            failure_ = std::current_exception();
            return false;
        }
        return start(*body_);
    }
    value_type finish() {
        check();
        check(*body_);
        return body_->take();
    }

private:
    F fn_;
    scope scope_;
    std::optional<child<body_task>> body_;
};

}  // namespace detail

/// Runs `body`, a coroutine that starts jobs in the scope it is given, and returns when the body and all of them have
/// ended: no job outlives it, so they may refer to the caller's locals.
///
///     co_await rondo::with_scope([&](rondo::scope& s) -> rondo::task<> {
///         for (const std::string& url : urls) s.spawn(fetch(url, results), "fetch");
///         co_return;
///     });
///
/// Gives what the body gives. A job's memory is given back when it ends and no handle to it is left, so a scope may see
/// millions.
/// Errors: the first failure, of the body or of a job, cancels the others (reason sibling_failed) and is thrown when
/// all have ended; later ones that nobody joined go to on_report, each with the job's name and origin. A job that is
/// cancelled by its handle or by `scope::cancel` is no failure. Cancellation: cancels the body and all jobs and awaits
/// them. Lifetime: `body` is kept until the end; capture by reference, or name the callable and pass it. Thread safety:
/// one context.
template <class F>
    requires std::is_invocable_v<F&, scope&>
detail::scope_operation<F> with_scope(F&& body) {
    static_assert(detail::is_task<std::invoke_result_t<F&, scope&>>::value,
                  "with_scope: the body is a coroutine: [&](rondo::scope& s) -> rondo::task<> { … }");
    return detail::scope_operation<F>(std::forward<F>(body));
}

}  // namespace rondo::inline v0
