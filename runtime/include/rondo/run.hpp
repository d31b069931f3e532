#pragma once

#include <exception>
#include <utility>

#include <rondo/error.hpp>
#include <rondo/runtime_options.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0 {

namespace detail {

class RONDO_API main_job : public job {
public:
    main_job(const job_ops& o, void (*drop)(main_job&) noexcept) noexcept : job(o), drop_task(drop) {}
    void (*const drop_task)(main_job&) noexcept;
    bool done = false;
    int stopped_by = 0;  // the signal

protected:
    ~main_job() = default;
    static void finish(job& j, promise_base& root) noexcept;
    static const detail::leaf* within_none(const job&) noexcept { return nullptr; }
    static const char* name_of(const job&) noexcept { return "main"; }
    static void describe(const job& j, report_line& out);
    void start(promise_base& root) noexcept;
    /// Throws when the main task was cancelled: outside a run that is an error like others.
    void check() const;
};

/// Runs the job on a new context of this thread.
RONDO_API void run_main(const runtime_options& options, main_job& main);

template <class T>
class main_task final : public main_job {
public:
    explicit main_task(task<T> t) noexcept : main_job(table, &drop), task_(std::move(t)) {}
    T take() {
        check();
        return task<T>::access::promise(task_).take();
    }

private:
    static void run(job& j) noexcept {
        auto& self = static_cast<main_task&>(j);
        self.start(task<T>::access::promise(self.task_));
    }
    static void drop(main_job& j) noexcept { const task<T> gone = std::move(static_cast<main_task&>(j).task_); }
    static constexpr job_ops table{&finish, &run, &within_none, &describe, &name_of};

    task<T> task_;
};

}  // namespace detail

/// Runs a task and everything it starts on this thread, and gives its value: the door from ordinary code into rondo.
///
///     int main() { return rondo::run(serve()); }
///
/// When the task is done, jobs it spawned that are still alive are cancelled (reason shutdown) and awaited for the
/// grace period; those that stay are reported by name.
///
/// Errors: what the task throws; errc::ring_unavailable when io_uring cannot be used, saying why; errc::deadlock with
/// all jobs and what they wait for, when nothing can ever wake the program (the resolver of a promise, and a wait for
/// an awaiter that is not rondo's, are taken for able to); errc::busy inside another run. Thread safety: any thread,
/// one run at a time on each.
template <class T>
T run(const runtime_options& options, task<T> t) {
    detail::main_task<T> main(std::move(t));
    detail::run_main(options, main);
    return main.take();
}

template <class T>
T run(task<T> t) {
    return run(runtime_options(), std::move(t));
}
template <class F>
    requires(!detail::is_task<std::remove_cvref_t<F>>::value)
void run(F&&) {
    static_assert(detail::always_false<F>, "run: takes a task: call the coroutine, run(f())");
}

}  // namespace rondo::inline v0
