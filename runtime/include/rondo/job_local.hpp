#pragma once

#include <utility>

#include <rondo/detail/combinator.hpp>
#include <rondo/error.hpp>

namespace rondo::inline v0 {

namespace detail {

/// One child that runs with a value; whoever looks for it finds it on the way up the tree.
class RONDO_API binding_base : public combinator {
public:
    /// The innermost binding of this key that the running job is under, or nullptr.
    static const binding_base* find(const void* key);

protected:
    explicit binding_base(const void* key) noexcept : combinator(ops_table), key_(key) {}
    binding_base(binding_base&& other) noexcept : combinator(static_cast<combinator&&>(other)), key_(other.key_) {}
    ~binding_base() = default;

    /// Throws when the child was cancelled.
    void check(const child_job& c) const;

private:
    static void child_done(combinator&, child_job&) noexcept {}
    static const combinator_ops ops_table;

    const void* key_;
};

template <class T>
class bound_value : public binding_base {
public:
    const T& value() const noexcept { return value_; }

protected:
    bound_value(const void* key, T&& value) : binding_base(key), value_(std::move(value)) {}
    bound_value(bound_value&&) = default;
    ~bound_value() = default;

private:
    T value_;
};

template <class T, class A>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] binding_operation : public bound_value<T> {
public:
    binding_operation(const void* key, T&& value, A&& a)
        : bound_value<T>(key, std::move(value)), child_(to_child(std::move(a))) {}
    binding_operation(binding_operation&&) = default;

    bool begin() noexcept { return this->start_one(child_); }
    await_result_t<A> finish() {
        this->check(child_);
        return child_.take();
    }

private:
    child_of<A> child_;
};

}  // namespace detail

/// A value that belongs to a job and to what it does, such as the id of the request it serves: set for the length of an
/// await, seen by everything inside it.
///
///     rondo::job_local<std::string> request_id;                      // a global
///     co_await request_id.with("r-17", serve(connection));
///     … if (const std::string* id = request_id.get()) log(*id);     // anywhere within serve
///
/// Children of combinators, timeouts and scopes see it; a spawned job is nobody's child and starts without: bind it
/// again there. An inner binding hides an outer one until it ends. Costs a walk up the tree when it is asked for, and
/// nothing else. Lifetime: outlives the jobs that use it. Thread safety: any context; each job sees its own.
template <class T>
class job_local {
public:
    job_local() noexcept = default;
    job_local(const job_local&) = delete;
    job_local& operator=(const job_local&) = delete;

    /// Runs `a` with this value, and gives what it gives.
    ///
    /// Errors: those of `a`. Cancellation: cancels `a` and awaits it. Lifetime: it owns both.
    template <class A>
        requires awaitable<A>
    detail::binding_operation<T, A> with(T value, A&& a) const {
        static_assert(!std::is_lvalue_reference_v<A>, "an awaitable is awaited once: pass f(), or std::move(t)");
        return detail::binding_operation<T, A>(this, std::move(value), std::move(a));
    }

    /// The value that the running job sees, for as long as it is bound; nullptr when none is.
    /// Errors: errc::no_context outside of a run.
    const T* get() const {
        const detail::binding_base* const found = detail::binding_base::find(this);
        return found == nullptr ? nullptr : &static_cast<const detail::bound_value<T>*>(found)->value();
    }
};

}  // namespace rondo::inline v0
