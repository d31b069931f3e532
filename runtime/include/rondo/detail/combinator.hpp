// A leaf that waits for child jobs: the common part of when_all, race, timeouts and the rest.
//
// It is armed before its first child starts and counts one more than its children, so that a child which finishes,
// fails or cancels during the start finds it in order. A child that was cancelled before its turn is never started.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

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
};

struct combinator_ops : leaf_ops {
    /// Told of each child's end, before it is counted.
    void (*child_done)(combinator&, child_job&) noexcept;
    /// Told when the last one was counted; may free the combinator.
    void (*all_done)(combinator&) noexcept;
    /// child_done has nothing to do for a child that ended with a value, and is not told of it.
    bool ignores_values = false;
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
    /// Before it begins: the links are made when the children start.
    combinator(combinator&& other) noexcept : leaf(*other.ops) {}
    ~combinator() = default;

    /// Starts the children in order, each until its first wait; false when all ended meanwhile (all_done is not called
    /// then). One that was to be cancelled before its turn is not started.
    template <class... Child>
    bool start_all(Child&... c) noexcept {
        left_ += sizeof...(c) + 1;  // one more, until every child had its turn
        {
            start_scope here;
            (start_next(c, here), ...);
        }
        return --left_ != 0;
    }
    template <class Child>
    bool start_each(std::vector<Child>& children) noexcept {
        left_ += children.size() + 1;
        {
            start_scope here;
            for (Child& c : children) start_next(c, here);
        }
        return --left_ != 0;
    }
    /// The same for a single child of any kind.
    bool start_one(child_job& c) noexcept {
        left_ += 2;
        link(c);
        c.ops->run(c);
        return --left_ != 0;
    }
    /// Asks every child that has not ended to end, and those that are still to be started not to begin.
    void cancel_children(cancel_reason why) noexcept;
    /// Puts every child that has not ended on the list.
    void collect(worklist& list, cancel_reason why) noexcept;
    /// Something besides the children has to end too; let_go() is true when it was the last.
    void hold() noexcept { ++left_; }
    bool let_go() noexcept { return --left_ == 0; }
    child_job* first_child() const noexcept { return first_; }
    bool parent_cancelled() const noexcept { return waiting->reason != cancel_reason::none; }

private:
    friend void child_finished(child_job&) noexcept;

    void link(child_job& c) noexcept {
        c.owner = this;
        (last_ != nullptr ? last_->sibling : first_) = &c;
        last_ = &c;
        if (c.reason == cancel_reason::none) c.reason = not_started_;
    }
    template <class Child>
    void start_next(Child& c, start_scope& here) noexcept {
        link(c);
        c.start(here);
    }

    child_job* first_ = nullptr;
    child_job* last_ = nullptr;
    std::size_t left_ = 0;
    cancel_reason not_started_ = cancel_reason::none;  // why children whose turn has not come will not be started
};

/// Counts a child's end, whose `state` is set.
inline void child_finished(child_job& c) noexcept {
    combinator& owner = *c.owner;
    const auto& ops = static_cast<const combinator_ops&>(*owner.ops);
    if (c.state != settled::value || !ops.ignores_values) ops.child_done(owner, c);
    if (--owner.left_ == 0) ops.all_done(owner);
}
RONDO_API const leaf* child_within(const job& j) noexcept;
RONDO_API void describe_child(const job& j, report_line& out);

/// A child of a combinator, made of anything awaitable. Bare operations need no coroutine.
template <class A>
class child;

template <class T>
class child<task<T>> final : public child_job {
public:
    using value_type = T;

    explicit child(task<T>&& t) noexcept : child_job(table), task_(std::move(t)) {}
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

    /// Its turn among its siblings.
    void start(start_scope& here) noexcept {
        if (reason != cancel_reason::none) {
            state = settled::cancelled;
            child_finished(*this);
            return;
        }
        if (here.is_deep()) {
            make_ready(*this);  // comes back through run
            return;
        }
        started = true;
        auto& root = promise();
        root.set_root(*this);
        here.enter(*this, root, root.handle());
    }

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
        start_scope here;
        self.start(here);
    }
    static constexpr job_ops table{&finish, &run, &child_within, &describe_child};

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

    /// Its turn among its siblings.
    void start(start_scope& here) noexcept {
        started = true;
        if (reason == cancel_reason::none) {
            RONDO_LEAF_EVENT(await, *this);
            op_.waiting = this;
            leaf = &op_;
            here.enter(*this);
            if (op_.begin()) return;
            leaf = nullptr;
            RONDO_LEAF_EVENT(at_once, *this);
        } else {
            RONDO_LEAF_EVENT(refused, *this);
        }
        end();
    }

private:
    static void finish(job&, promise_base&) noexcept {}
    static void run(job& j) noexcept {
        auto& self = static_cast<child&>(j);
        if (self.started) {
            self.end();
            return;
        }
        start_scope here;
        self.start(here);
    }
    void end() noexcept {
        RONDO_LEAF_EVENT(continues, *this);
        state = op_.waiting == nullptr ? settled::cancelled : op_.failed() ? settled::error : settled::value;
        child_finished(*this);
    }
    static constexpr job_ops table{&finish, &run, &child_within, &describe_child};

    Op op_;
};

/// Anything else runs in a task of its own.
template <class A>
task<await_result_t<A>> as_task(A a) {
    co_return co_await std::move(a);
}

template <class A>
inline constexpr bool is_child_as_it_is = is_task<A>::value || bare_operation<A>;

template <class A>
struct child_type {
    using type = child<task<await_result_t<A>>>;
};
template <class A>
    requires is_child_as_it_is<A>
struct child_type<A> {
    using type = child<A>;
};
/// The child that an awaitable makes, and what to construct it from.
template <class A>
using child_of = typename child_type<std::remove_cvref_t<A>>::type;
template <class A>
decltype(auto) to_child(A&& a) {
    static_assert(!std::is_lvalue_reference_v<A>, "an awaitable is awaited once: pass f(), or std::move(t)");
    if constexpr (is_child_as_it_is<std::remove_cvref_t<A>>) return std::move(a);
    else return as_task(std::move(a));
}

}  // namespace rondo::inline v0::detail
