#include <rondo/detail/foreign_awaiter.hpp>

#include <coroutine>
#include <string>
#include <thread>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>

#include "support/catch.hpp"

using rondo::task;
using namespace std::chrono_literals;

namespace {

// As another library would write it: hands the raw handle out.
class handle_out {
public:
    explicit handle_out(std::vector<std::coroutine_handle<>>& handles) noexcept : handles_(&handles) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> h) { handles_->push_back(h); }
    int await_resume() const noexcept { return 5; }

private:
    std::vector<std::coroutine_handle<>>* handles_;
};

class on_a_thread {
public:
    explicit on_a_thread(std::thread& t) noexcept : thread_(&t) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> h) {
        *thread_ = std::thread([h] { h.resume(); });
    }
    std::thread::id await_resume() const noexcept { return std::this_thread::get_id(); }

private:
    std::thread* thread_;
};

class refuses_to_wait {
public:
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<>) noexcept { return false; }
    int await_resume() const noexcept { return 9; }
};

class symmetric {
public:
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) noexcept { return h; }
    int await_resume() const noexcept { return 8; }
};

struct with_operator {
    refuses_to_wait operator co_await() const noexcept { return {}; }
};

task<> two_raw_resumes() {
    std::vector<std::coroutine_handle<>> handles;
    int sum = 0;
    auto waiter = [&]() -> task<> {
        const int n = co_await handle_out(handles);
        sum += n;
    };
    auto a = rondo::spawn(waiter(), "a");
    auto b = rondo::spawn(waiter(), "b");
    co_await rondo::this_job::yield();
    REQUIRE(handles.size() == 2);
    handles[0].resume();
    handles[1].resume();
    CHECK(sum == 0);  // resume only queues
    co_await rondo::when_all(a.join(), b.join());
    CHECK(sum == 10);
}

task<> from_a_thread() {
    const std::thread::id home = std::this_thread::get_id();
    std::thread t;
    const std::thread::id resumed_on = co_await on_a_thread(t);
    t.join();
    CHECK(resumed_on == home);
}

class throws_in_suspend {
public:
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const { throw 7; }
    void await_resume() const noexcept {}
};

task<> a_throw_in_suspend() {
    int caught = 0;
    bool was_cancelled = false;
    auto job = [&]() -> task<> {
        try {
            co_await throws_in_suspend();
        } catch (int n) {
            caught = n;
        }
        try {
            co_await rondo::this_job::yield();
            co_await rondo::sleep_for(1h);
        } catch (const rondo::cancelled&) {
            was_cancelled = true;
        }
    };
    auto h = rondo::spawn(job(), "job");
    co_await rondo::this_job::yield();
    h.cancel();  // it is queued, and waits for nothing
    (void)co_await rondo::as_result(h.join());
    CHECK(caught == 7);
    CHECK(was_cancelled);
}

task<> other_shapes() {
    const int a = co_await refuses_to_wait();
    const int b = co_await symmetric();
    const int c = co_await with_operator();
    CHECK(a == 9);
    CHECK(b == 8);
    CHECK(c == 9);
}

task<> a_cancel_waits_for_the_other_side() {
    std::vector<std::coroutine_handle<>> handles;
    bool went_on = false;
    auto waiter = [&]() -> task<> {
        const int n = co_await handle_out(handles);
        went_on = n == 5;
        co_await rondo::sleep_for(1h);  // the next wait ends
    };
    auto h = rondo::spawn(waiter(), "waiter");
    co_await rondo::this_job::yield();
    h.cancel();
    co_await rondo::this_job::yield();
    CHECK_FALSE(h.is_done());
    handles[0].resume();
    const auto r = co_await rondo::as_result(h.join());
    CHECK(went_on);
    CHECK(r.error() == rondo::errc::cancelled);
}

task<> destroyed_by_the_other_side() {
    std::vector<std::coroutine_handle<>> handles;
    auto waiter = [&]() -> task<> { co_await handle_out(handles); };
    auto h = rondo::spawn(waiter(), "waiter");
    co_await rondo::this_job::yield();
    handles[0].destroy();
    const auto r = co_await rondo::as_result(h.join());
    CHECK(r.error() == rondo::errc::cancelled);
}

}  // namespace

TEST_CASE("two raw resumes of another library's awaiter in a row wake both jobs, later") {
    rondo::run(two_raw_resumes());
}
TEST_CASE("a job that another thread resumes goes on at home") { rondo::run(from_a_thread()); }
TEST_CASE("awaiters that do not suspend, transfer, or have an operator work") { rondo::run(other_shapes()); }
TEST_CASE("cancelling a job in another library's awaiter marks it and the next wait ends") {
    rondo::run(a_cancel_waits_for_the_other_side());
}
TEST_CASE("an await_suspend that throws leaves its job waiting for nothing") { rondo::run(a_throw_in_suspend()); }
TEST_CASE("destroying the handle ends the job as cancelled") { rondo::run(destroyed_by_the_other_side()); }
