// Awaiters that are not rondo's: they get a handle to a stand-in whose resume() only queues the job, from any thread,
// so that nothing but the door ever enters a rondo coroutine.
#pragma once

#include <coroutine>
#include <source_location>
#include <type_traits>
#include <utility>

#include <rondo/detail/job.hpp>
#include <rondo/detail/remote.hpp>

namespace rondo::inline v0::detail {

struct promise_base;

/// The leaf and the stand-in. The first two words of the stand-in are what resume() and destroy() of a coroutine handle
/// look for: the frame layout that g++ and clang share (Itanium C++ ABI, as both implement it).
class RONDO_API foreign_wait : public leaf, public remote_node {
public:
    foreign_wait() noexcept : leaf(ops_table), remote_node(&came_home) {}
    foreign_wait(const foreign_wait&) = delete;
    foreign_wait& operator=(const foreign_wait&) = delete;

protected:
    ~foreign_wait() {
        // The awaiter is gone, so that nobody resumes it any more; one that did has its message on the way.
        if (tls.destroyed != nullptr && home_) [[unlikely]]
            take_messages();
    }

    /// False when the job is cancelled already.
    bool arm(promise_base& p, std::source_location where);
    void disarm() noexcept;
    static void take_messages() noexcept;
    std::coroutine_handle<> handle() noexcept { return std::coroutine_handle<>::from_address(&stand_in_); }

private:
    struct frame {
        void (*resume)(frame*);
        void (*destroy)(frame*);
        foreign_wait* owner;
    };
    static void resume(frame* f);
    static void destroy(frame* f);
    static void came_home(remote_node& n) noexcept;
    static void note_cancel(leaf&, worklist&) noexcept {}  // the wait ends by itself
    static void describe(const leaf&, report_line& out);
    static const leaf_ops ops_table;

    alignas(16) frame stand_in_{&resume, &destroy, this};
    remote_context home_;
    bool destroyed_ = false;
};

template <class A>
concept foreign_awaiter_type = requires(A& a, std::coroutine_handle<> h) {
    { a.await_ready() };
    a.await_suspend(h);
    a.await_resume();
};

template <class Awaiter>
class foreign_awaiter : private foreign_wait {
    static_assert(!std::is_same_v<std::remove_cvref_t<Awaiter>, std::suspend_always>,
                  "co_await std::suspend_always: nobody would ever resume it; this_job::yield() lets others run");

public:
    explicit foreign_awaiter(Awaiter a) : awaiter_(std::forward<Awaiter>(a)) {}

    bool await_ready() { return static_cast<bool>(awaiter_.await_ready()); }
    template <class P>
    bool await_suspend(std::coroutine_handle<P> h, std::source_location where = std::source_location::current()) {
        if (!arm(h.promise(), where)) return false;
        try {
            return suspend();
        } catch (...) {
            disarm();  // it threw before anybody could resume it, and the job goes on
            throw;
        }
    }
    decltype(auto) await_resume() {
        RONDO_LEAF_EVENT(continues, *tls.current);
        if (waiting == nullptr) throw_cancelled();
        return awaiter_.await_resume();
    }

private:
    bool suspend() {
        using returned = decltype(awaiter_.await_suspend(handle()));
        if constexpr (std::is_void_v<returned>) {
            awaiter_.await_suspend(handle());
            return suspended();
        } else if constexpr (std::is_same_v<returned, bool>) {
            if (awaiter_.await_suspend(handle())) return suspended();
            disarm();
            return false;
        } else {
            // Another coroutine that wants to run now: it is not ours, so it runs inside this call.
            const std::coroutine_handle<> other = awaiter_.await_suspend(handle());
            other.resume();
            return suspended();
        }
    }
    static bool suspended() noexcept {
        tls.progressed = true;
        return true;
    }

    Awaiter awaiter_;
};

}  // namespace rondo::inline v0::detail
