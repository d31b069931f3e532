// A task on its way to a runtime's thread, and its outcome on the way back.
//
// Two hold it: the submission, on any thread, and the runtime until the task has ended. What is written at home is
// published by `state_`, and read elsewhere only after that.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <source_location>
#include <utility>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/nonvoid.hpp>
#include <rondo/detail/remote.hpp>
#include <rondo/detail/spawned.hpp>
#include <rondo/result.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0::detail {

class submitted_list;
class submitted_wait;

class RONDO_API submitted_base : public remote_node {
public:
    submitted_base(const submitted_base&) = delete;
    submitted_base& operator=(const submitted_base&) = delete;
    virtual ~submitted_base();

    bool is_done() const noexcept { return state_.load(std::memory_order_acquire) != pending; }
    /// Blocks this thread until it is done.
    void wait() const;
    /// Any thread.
    void cancel(cancel_reason why = cancel_reason::requested) noexcept;
    void add_ref() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
    void drop_ref() noexcept;
    /// How it ended, once it is done.
    settled state() const noexcept { return static_cast<settled>(state_.load(std::memory_order_acquire)); }
    const char* name() const noexcept { return name_; }

    /// Hands it to the runtime whose inbox and list these are.
    void send(const remote_context& home, submitted_list& list) noexcept;
    /// It will never run.
    void refuse() noexcept;

protected:
    submitted_base(const char* name, std::source_location origin) noexcept;

    /// Held by the coroutine that runs the task. One that is destroyed before its end was cancelled.
    class RONDO_API running {
    public:
        explicit running(submitted_base& s) noexcept : submitted_(&s) {}
        running(running&& other) noexcept : submitted_(std::exchange(other.submitted_, nullptr)) {}
        running& operator=(running&&) = delete;
        ~running() {
            if (submitted_ != nullptr) submitted_->settle(settled::cancelled);
        }
        void end(settled how) noexcept { std::exchange(submitted_, nullptr)->settle(how); }

    private:
        submitted_base* submitted_;
    };

    /// The coroutine that runs the task and keeps its outcome.
    virtual task<> body(running r) = 0;
    virtual void drop_task() noexcept = 0;

    /// Throws unless there is a value to take.
    void check();

    std::exception_ptr exception_;

private:
    friend class submitted_list;
    friend class submitted_wait;

    struct cancel_message : remote_node {
        explicit cancel_message(submitted_base& s) noexcept : remote_node(&submitted_base::cancel_home), target(&s) {}
        submitted_base* const target;
        cancel_reason why = cancel_reason::requested;
    };

    // A word that the kernel can wait on, with the values of `settled`.
    using word = std::uint32_t;
    static constexpr word pending = static_cast<word>(settled::pending);

    static void start_home(remote_node& n) noexcept;
    static void cancel_home(remote_node& n) noexcept;
    void settle(settled how) noexcept;
    void publish(settled how) noexcept;
    void wake_waiter() noexcept;

    const char* const name_;
    const std::source_location origin_;
    remote_context home_;
    cancel_message cancel_message_;
    std::atomic<std::uint32_t> refs_{2};  // the submission's, and the runtime's
    std::atomic<word> state_{pending};
    std::atomic<bool> cancel_asked_{false};
    std::atomic<submitted_wait*> waiter_{nullptr};
    std::atomic<bool> waiter_woken_{false};
    bool refused_ = false;
    bool observed_ = false;

    // Of the home thread.
    spawned_job* job_ = nullptr;
    submitted_list* list_ = nullptr;
    submitted_base* prev_ = nullptr;
    submitted_base* next_submitted_ = nullptr;
};

/// Waits, as a job of any context, for the end of a submitted task: a message brings it home.
class RONDO_API submitted_wait : public leaf, public remote_node {
public:
    submitted_wait& operator=(submitted_wait&&) = delete;

    /// Before its frame is destroyed: no message comes any more. No effect on other leaves.
    static void withdraw(leaf& l) noexcept;

protected:
    /// What a cancel of the waiting job means: the end of the wait, or, passed on, of the task, which is awaited.
    enum class on_cancel : bool { leave, pass_on };

    submitted_wait(submitted_base& s, on_cancel c) noexcept
        : leaf(ops_table), remote_node(&came_home), submitted_(&s), on_cancel_(c) {}
    submitted_wait(submitted_wait&& other) noexcept  // before it begins
        : leaf(ops_table),
          remote_node(&came_home),
          submitted_(std::exchange(other.submitted_, nullptr)),
          on_cancel_(other.on_cancel_) {}
    ~submitted_wait() {
        if (submitted_ != nullptr) submitted_->drop_ref();
    }

    /// False when it is done already, or when somebody else waits for it.
    bool register_wait() noexcept;
    /// The wait is over. Throws errc::busy when another job waits.
    void check_wait() const;

    submitted_base* submitted_;

private:
    friend class submitted_base;
    bool take_back() noexcept;
    static void came_home(remote_node& n) noexcept;
    static void cancel(leaf& l, worklist&) noexcept;
    static void describe(const leaf& l, report_line& out);
    static const leaf_ops ops_table;
    static submitted_wait* done() noexcept;

    remote_context home_;
    on_cancel on_cancel_;
    bool busy_ = false;
};

/// Those that a runtime has started and that have not ended.
class submitted_list {
public:
    void add(submitted_base& s) noexcept;
    void remove(submitted_base& s) noexcept;
    /// Whoever is left sits in a blocking call that does not return: its submitter need not wait for that.
    void abandon() noexcept;

private:
    submitted_base* first_ = nullptr;
};

template <class T>
class submitted final : public submitted_base {
public:
    submitted(task<T> t, const char* name, std::source_location origin) noexcept
        : submitted_base(name, origin), task_(std::move(t)) {}

    T take() {
        check();
        if constexpr (std::is_lvalue_reference_v<T>) return **value_;
        else if constexpr (!std::is_void_v<T>) return std::move(*value_);
    }

private:
    using stored = std::conditional_t<std::is_lvalue_reference_v<T>, std::remove_reference_t<T>*, nonvoid<T>>;

    task<> body(running r) override {
        settled how = settled::value;
        try {
            if constexpr (std::is_void_v<T>) {
                co_await std::move(*task_);
            } else if constexpr (std::is_lvalue_reference_v<T>) {
                T& value = co_await std::move(*task_);
                value_.emplace(&value);
            } else {
                value_.emplace(co_await std::move(*task_));
            }
        } catch (const cancelled&) {
            how = settled::cancelled;
        } catch (...) {
            how = settled::error;
            exception_ = std::current_exception();
        }
        task_.reset();  // its frame goes at home
        r.end(how);
    }
    void drop_task() noexcept override { task_.reset(); }

    std::optional<task<T>> task_;
    std::optional<stored> value_;
};

/// The wait for a submitted T.
template <class T>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] submitted_result : public submitted_wait {
public:
    explicit submitted_result(submitted<T>& s) noexcept : submitted_wait(s, on_cancel::leave) { s.add_ref(); }
    submitted_result(submitted_result&&) noexcept = default;

    bool begin() noexcept { return register_wait(); }
    T finish() {
        check_wait();
        return static_cast<submitted<T>*>(submitted_)->take();
    }
    bool failed() const noexcept { return submitted_->state() != settled::value; }
    result<T> finish_result() {
        try {
            if constexpr (std::is_void_v<T>) return finish(), result<void>();
            else return finish();
        } catch (...) {
            return current_fault();
        }
    }

protected:
    submitted_result(submitted<T>& s, on_cancel c) noexcept : submitted_wait(s, c) {}
};

}  // namespace rondo::inline v0::detail
