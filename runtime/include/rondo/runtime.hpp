#pragma once

#include <cstdint>
#include <source_location>
#include <utility>

#include <rondo/detail/submitted.hpp>
#include <rondo/runtime_options.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0 {

namespace detail {
class runtime_state;
}  // namespace detail

/// The submitter's hold on a task that it gave to a runtime.
///
/// Dropping it lets the task run on; an error nobody observed goes once to on_report. Lifetime: may outlive the
/// runtime. Thread safety: one thread at a time, any thread.
template <class T>
class [[nodiscard("dropping it lets the task run on unobserved; say so with .detach()")]] submission {
public:
    explicit submission(detail::submitted<T>& s) noexcept : state_(&s) {}
    submission(submission&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    submission& operator=(submission&& other) noexcept {
        if (this != &other) {
            detach();
            state_ = std::exchange(other.state_, nullptr);
        }
        return *this;
    }
    ~submission() { detach(); }

    /// Blocks the calling thread until the task has ended and gives its value, once.
    ///
    /// Errors: what the task threw; errc::cancelled when it was cancelled; errc::closed when the runtime was shut down
    /// before it began; errc::busy on a thread that runs a context, which would wait for itself: await in a task there.
    T get() {
        state_->wait();
        return state_->take();
    }
    /// Waits, in a job of any context, for the end and gives the value, once. One job at a time.
    ///
    /// Errors: as get(), but for errc::busy, which means that another job waits. Cancellation: ends the wait, not the
    /// task.
    detail::submitted_result<T> join() const noexcept { return detail::submitted_result<T>(*state_); }
    /// `co_await s` is `co_await s.join()`.
    detail::submitted_result<T> operator co_await() const noexcept { return join(); }
    /// Asks the task to end: its current wait and every later one throws `cancelled` in it.
    void cancel() const noexcept { state_->cancel(); }
    bool is_done() const noexcept { return state_->is_done(); }
    /// Gives the hold up.
    void detach() noexcept {
        if (state_ != nullptr) std::exchange(state_, nullptr)->drop_ref();
    }
    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    detail::submitted<T>* state_;
};

/// The constructor argument for a runtime that lives inside a foreign loop.
struct polled_t {
    explicit polled_t() noexcept = default;
};
inline constexpr polled_t polled{};

/// A runtime for programs that cannot give up `main`: it takes tasks from any thread.
///
///     rondo::runtime rt;                              // on a thread of its own
///     auto s = rt.submit(fetch("a"));
///     … std::string text = s.get();
///
/// Inside a foreign loop (epoll, libuv, Qt) it runs on that loop's thread instead:
///
///     rondo::runtime rt(rondo::polled);
///     … wait until rt.fd() is readable, then:  rt.poll();
///
/// Errors of the constructors: errc::ring_unavailable, saying why; of a polled one also errc::busy on a thread that
/// runs a context, and errc::invalid_argument with a simulated system. Lifetime: the destructor is shutdown(). Thread
/// safety: submit() any thread. The rest: the thread that made it.
class RONDO_API runtime {
public:
    runtime();
    explicit runtime(const runtime_options& options);
    explicit runtime(polled_t, const runtime_options& options = runtime_options());
    ~runtime();
    runtime(const runtime&) = delete;
    runtime& operator=(const runtime&) = delete;

    /// Starts `t` as a job of its own on the runtime's thread. After shutdown() began it is not started, and the
    /// submission says errc::closed. `name` appears in dumps and reports; it is not copied: pass a literal.
    template <class T>
    submission<T> submit(task<T> t, const char* name = "submitted",
                         std::source_location origin = std::source_location::current()) {
        auto* const s = new detail::submitted<T>(std::move(t), name, origin);
        submission<T> hold(*s);
        post(*s);
        return hold;
    }

    /// Cancels all jobs (reason shutdown), waits for them as long as `grace` (default: the option's), and reports those
    /// that stay. Later calls have no effect.
    template <class Rep, class Period>
    void shutdown(std::chrono::duration<Rep, Period> grace) {
        shut_down(detail::to_ns(grace));
    }
    void shutdown();

    /// Polled only: becomes readable when there is work for poll(): a completion, a deadline, a submission. It is an
    /// epoll fd that the runtime owns: watch it, level-triggered, do nothing else with it.
    /// Errors: errc::invalid_argument when the runtime has a thread of its own.
    int fd() const;

    /// Polled only: runs what is ready, without waiting. True while jobs are left. Errors: as fd(); errc::busy when
    /// this thread runs a context already, so inside a job; errc::invalid_argument on another thread than the one that
    /// made the runtime.
    bool poll();

private:
    void post(detail::submitted_base& s);
    void shut_down(std::int64_t grace);

    detail::runtime_state* const state_;
};

}  // namespace rondo::inline v0
