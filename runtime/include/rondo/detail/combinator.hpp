// A leaf that waits for child jobs: the common part of when_all, race, timeouts and the rest.
//
// It is armed before its first child starts and counts one more than its children, so that a child which finishes,
// fails or cancels during the start finds it in order. A child that was cancelled before its turn is never started.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/job.hpp>
#include <rondo/result.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0::detail {

class combinator;

struct child_job : job {
    explicit child_job(const job_ops& o) noexcept : job(o) {}

    combinator* owner = nullptr;
    child_job* sibling = nullptr;
    settled state = settled::pending;
};

struct combinator_ops : leaf_ops {
    /// Told of each child's end, before it is counted.
    void (*child_done)(combinator&, child_job&) noexcept;
    /// Told when the last one was counted; may free the combinator.
    void (*all_done)(combinator&) noexcept;
};

class RONDO_API combinator : public leaf {
public:
    combinator(const combinator&) = delete;
    combinator& operator=(const combinator&) = delete;

    static void complete_wait(combinator& self) noexcept { complete(self); }
    static void forward_cancel(leaf&, worklist&) noexcept;
    static void describe_children(const leaf&, report_line&);

protected:
    explicit combinator(const combinator_ops& o) noexcept : leaf(o) {}
    /// Before it begins: the links are made by add().
    combinator(combinator&& other) noexcept : leaf(*other.ops) {}
    ~combinator() = default;

    void add(child_job& c) noexcept;
    /// Starts all children in order; false when all ended meanwhile (all_done is not called then).
    bool start_children() noexcept;
    /// Asks every child that has not ended to end.
    void cancel_children(cancel_reason why) noexcept;
    /// Puts every child that has not ended on the list.
    void collect(worklist& list, cancel_reason why) noexcept;
    /// Something besides the children has to end too; let_go() is true when it was the last.
    void hold() noexcept { ++left_; }
    bool let_go() noexcept { return --left_ == 0; }
    bool parent_cancelled() const noexcept { return waiting->reason != cancel_reason::none; }

private:
    friend void child_finished(child_job&) noexcept;
    friend const job* child_parent(const job&) noexcept;

    child_job* first_ = nullptr;
    child_job* last_ = nullptr;
    std::size_t left_ = 0;
};

/// Counts a child's end, whose `state` is set.
RONDO_API void child_finished(child_job& c) noexcept;
RONDO_API const job* child_parent(const job& j) noexcept;
RONDO_API void describe_child(const job& j, report_line& out);
/// Starts a child that is a task: now, or through the queue when the nesting is deep.
RONDO_API void start_task_child(child_job& c, promise_base& root) noexcept;

/// A child of a combinator, made of anything awaitable. Bare operations need no coroutine.
template <class A>
class child;

template <class T>
class child<task<T>> final : public child_job {
public:
    using value_type = T;

    explicit child(task<T> t) noexcept : child_job(table), task_(std::move(t)) {}
    child(child&& other) noexcept : child_job(table), task_(std::move(other.task_)) {}

    T take() { return promise().take(); }
    /// The outcome as a value; `cancelled` becomes a fault. For children of combinators that report each one.
    result<T> take_result() {
        try {
            if (state == settled::cancelled) return fault(errc::cancelled);
            if constexpr (std::is_void_v<T>) {
                take();
                return {};
            } else {
                return take();
            }
        } catch (...) {
            return current_fault();
        }
    }
    void drop() { task<T> gone = std::move(task_); }

private:
    auto& promise() { return task<T>::access::promise(task_); }
    static void finish(job& j, promise_base& root) noexcept {
        auto& self = static_cast<child&>(j);
        self.state = root.state;
        child_finished(self);
    }
    static void run(job& j) noexcept {
        auto& self = static_cast<child&>(j);
        if (self.started) return;
        if (self.reason != cancel_reason::none) {
            self.state = settled::cancelled;
            child_finished(self);
            return;
        }
        start_task_child(self, self.promise());
    }
    static constexpr job_ops table{&finish, &run, &child_parent, &describe_child};

    task<T> task_;
};

template <class Op>
    requires bare_operation<Op>
class child<Op> final : public child_job {
public:
    using value_type = decltype(std::declval<Op&>().finish());

    explicit child(Op&& op) noexcept : child_job(table), op_(std::move(op)) {}
    child(child&& other) noexcept : child_job(table), op_(std::move(other.op_)) {}

    value_type take() {
        if (op_.waiting == nullptr) throw_cancelled();
        return op_.finish();
    }
    result<value_type> take_result() {
        if (op_.waiting == nullptr) return fault(errc::cancelled);
        return op_.finish_result();
    }
    void drop() noexcept {}

private:
    static void finish(job&, promise_base&) noexcept {}
    static void run(job& j) noexcept {
        auto& self = static_cast<child&>(j);
        if (!self.started) {
            self.started = true;
            if (self.reason == cancel_reason::none) {
                self.op_.waiting = &self;
                self.leaf = &self.op_;
                job* const parent = std::exchange(tls.current, &self);
                const bool waits = self.op_.begin();
                tls.current = parent;
                if (waits) return;
                self.leaf = nullptr;
            }
        }
        self.state = self.op_.waiting == nullptr ? settled::cancelled
                     : self.op_.failed()         ? settled::error
                                                 : settled::value;
        child_finished(self);
    }
    static constexpr job_ops table{&finish, &run, &child_parent, &describe_child};

    Op op_;
};

/// Anything else runs in a task of its own.
template <class A>
task<await_result_t<A>> as_task(A a) {
    co_return co_await std::move(a);
}

template <class A>
auto make_child(A&& a) {
    using plain = std::remove_cvref_t<A>;
    static_assert(!std::is_lvalue_reference_v<A>, "an awaitable is awaited once: pass f(), or std::move(t)");
    if constexpr (is_task<plain>::value || bare_operation<plain>) return child<plain>(std::move(a));
    else return child<task<await_result_t<plain>>>(as_task(std::move(a)));
}
template <class A>
using child_of = decltype(make_child(std::declval<A>()));

}  // namespace rondo::inline v0::detail
