// A job of its own, shared between the context that runs it and the handle that may wait for it.
#pragma once

#include <cstdint>
#include <exception>
#include <source_location>

#include <rondo/detail/wait_list.hpp>
#include <rondo/task.hpp>

namespace rondo::inline v0::detail {

class scope_base;

class RONDO_API spawned_job : public job {
public:
    spawned_job(const job_ops& o, const char* name, std::source_location origin) noexcept
        : job(o), name_(name), origin_(origin) {}

    /// Puts it in the running context's ready queue.
    void start();
    /// Runs it until its first wait, inside the call.
    void start_now();
    bool is_done() const noexcept { return state != settled::pending; }
    const char* name() const noexcept { return name_; }
    const std::source_location& origin() const noexcept { return origin_; }
    wait_list& waiters() noexcept { return waiters_; }
    void observed() noexcept { observed_ = true; }
    void add_ref() noexcept { ++refs_; }
    /// Frees it with the last reference; an error nobody observed is reported then.
    void drop_ref() noexcept;

    /// Its coroutine was destroyed: what is left of it goes, and whoever joins it sees a cancelled job.
    void give_up() noexcept;

    static void* operator new(std::size_t n) { return allocate_frame(n); }
    static void operator delete(void* p, std::size_t n) noexcept { free_frame(p, n); }

protected:
    ~spawned_job() = default;
    static void finish(job& j, promise_base& root) noexcept;
    static void run(job& j) noexcept;
    static const detail::leaf* within_none(const job&) noexcept { return nullptr; }
    static const char* name_of(const job& j) noexcept { return static_cast<const spawned_job&>(j).name_; }
    static void describe(const job& j, report_line& out);

private:
    friend class context;
    friend class scope_base;
    void adopt();
    void end(settled how) noexcept;

    const char* name_;
    std::source_location origin_;
    wait_list waiters_;
    spawned_job* prev_ = nullptr;
    spawned_job* next_ = nullptr;
    std::uint32_t refs_ = 2;  // the context's until it is done, and the handle's
    bool observed_ = false;
};

struct spawned_ops : job_ops {
    promise_base& (*root)(spawned_job&) noexcept;
    void (*drop_task)(spawned_job&) noexcept;
    void (*destroy)(spawned_job&) noexcept;
};

template <class T>
class spawned : public spawned_job {
public:
    spawned(task<T> t, const char* name, std::source_location origin) noexcept
        : spawned_job(table, name, origin), task_(std::move(t)) {}

    T take() { return promise().take(); }
    auto& promise() noexcept { return task<T>::access::promise(task_); }

protected:
    spawned(const job_ops& o, task<T> t, const char* name, std::source_location origin) noexcept
        : spawned_job(o, name, origin), task_(std::move(t)) {}
    ~spawned() = default;
    static promise_base& root(spawned_job& j) noexcept { return static_cast<spawned&>(j).promise(); }
    static void drop_task(spawned_job& j) noexcept { const task<T> gone = std::move(static_cast<spawned&>(j).task_); }

private:
    static void destroy(spawned_job& j) noexcept { delete static_cast<spawned*>(&j); }
    static constexpr spawned_ops table{{&finish, &run, &within_none, &describe, &name_of}, &root, &drop_task, &destroy};

    task<T> task_;
};

}  // namespace rondo::inline v0::detail
