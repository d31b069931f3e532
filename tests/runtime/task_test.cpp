#include <rondo/task.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/this_job.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;

static_assert(!std::is_copy_constructible_v<task<int>>);
static_assert(!std::is_default_constructible_v<task<int>>);
static_assert(std::is_nothrow_move_constructible_v<task<int>>);
static_assert(sizeof(task<int>) == sizeof(void*));

namespace {

task<int> value(int x) { co_return x; }
task<> note(std::string& log, char c) {
    log += c;
    co_return;
}
task<int> later(int x) {
    co_await this_job::yield();
    co_return x;
}
task<int> fail(const char* text) {
    co_await this_job::yield();
    throw std::runtime_error(text);
}
task<int> pass(int levels, const char* text) {
    if (levels == 0) co_return co_await fail(text);
    co_return co_await pass(levels - 1, text);
}
task<int> sum_down(int n, bool suspend) {
    if (n == 0) {
        if (suspend) co_await this_job::yield();
        co_return 0;
    }
    const int below = co_await sum_down(n - 1, suspend);
    co_return below + n;
}
task<int> take(tracked t) {
    co_await this_job::yield();
    co_return t.value;
}
task<std::unique_ptr<int>> boxed(int x) { co_return std::make_unique<int>(x); }
task<int&> chosen(std::vector<int>& from, std::size_t i) {
    co_await this_job::yield();
    co_return from[i];
}
task<std::string> converted() { co_return "text"; }

}  // namespace

TEST_CASE("a task does nothing until it is awaited, then runs at once like a call") {
    std::string log;
    auto body = [&]() -> task<> {
        task<> t = note(log, 'b');
        log += 'a';
        co_await std::move(t);
        log += 'c';
    };
    run(body());
    CHECK(log == "abc");
}

TEST_CASE("a task that is dropped never runs and gives its parameters back") {
    std::string log;
    { task<> never = note(log, 'x'); }
    CHECK(log.empty());
    {
        task<int> never = take(tracked(1));
        CHECK(tracked::alive == 1);
    }
    CHECK(tracked::alive == 0);
}

TEST_CASE("a task that is replaced by assignment never runs") {
    std::string log;
    auto body = [&]() -> task<> {
        task<> t = note(log, 'x');
        t = note(log, 'y');
        co_await std::move(t);
    };
    run(body());
    CHECK(log == "y");
}

TEST_CASE("a moved-from task is empty") {
    task<int> a = value(1);
    CHECK(static_cast<bool>(a));
    task<int> b = std::move(a);
    CHECK_FALSE(static_cast<bool>(a));
    CHECK(static_cast<bool>(b));
    CHECK(run(std::move(b)) == 1);
}

TEST_CASE("an await gives the value of the task, whether it waits or not") {
    auto body = []() -> task<int> {
        const int at_once = co_await value(1);
        const int waited = co_await later(20);
        task<int> kept = later(300);
        const int moved = co_await std::move(kept);
        co_return at_once + waited + moved;
    };
    CHECK(run(body()) == 321);
}

TEST_CASE("a task may give a move-only value, a converted one, or nothing") {
    std::string log;
    auto body = [&]() -> task<std::unique_ptr<int>> {
        const std::string text = co_await converted();
        log += text;
        co_await note(log, '!');
        std::unique_ptr<int> p = co_await boxed(7);
        co_return p;
    };
    CHECK(*run(body()) == 7);
    CHECK(log == "text!");
}

TEST_CASE("a task of a reference gives the object itself") {
    std::vector<int> numbers{1, 2, 3};
    auto body = [&]() -> task<> {
        int& second = co_await chosen(numbers, 1);
        second = 20;
    };
    run(body());
    CHECK(numbers[1] == 20);
    CHECK(&run(chosen(numbers, 2)) == &numbers[2]);
}

TEST_CASE("an exception passes through every level of awaits") {
    auto body = []() -> task<std::string> {
        std::string seen;
        try {
            (void)co_await pass(100, "from far below");
        } catch (const std::runtime_error& e) {
            seen = e.what();
        }
        co_return seen;
    };
    CHECK(run(body()) == "from far below");
    CHECK_THROWS_AS(run(pass(3, "out of run")), std::runtime_error);
}

TEST_CASE("what is thrown need not be a std::exception") {
    auto thrower = []() -> task<> {
        co_await this_job::yield();
        throw 42;
    };
    CHECK_THROWS_AS(run(thrower()), int);
}

TEST_CASE("calls nest deeper than they are started inline, suspended or not") {
    CHECK(run(sum_down(1000, false)) == 500500);
    CHECK(run(sum_down(1000, true)) == 500500);
}

TEST_CASE("the parameters of a task are destroyed once, after it ran") {
    auto body = []() -> task<> {
        const int a = co_await take(tracked(5));
        CHECK(a == 5);
        CHECK(tracked::alive == 0);
        task<int> t = take(tracked(6));
        const int b = co_await std::move(t);
        CHECK(b == 6);
    };
    run(body());
    CHECK(tracked::alive == 0);
}

TEST_CASE("temporaries in the same expression as an await are destroyed once") {
    auto body = []() -> task<int> {
        const int sum = co_await take(tracked(1)) + co_await take(tracked(co_await take(tracked(2))));
        co_return sum;
    };
    CHECK(run(body()) == 3);
    CHECK(tracked::alive == 0);
}

TEST_CASE("the locals of a task are gone when its await returns, also when it threw") {
    auto ends = []() -> task<> {
        const tracked local(1);
        co_await this_job::yield();
    };
    auto throws = []() -> task<> {
        const tracked local(1);
        co_await this_job::yield();
        throw std::runtime_error("with a local alive");
    };
    auto body = [&]() -> task<> {
        task<> t = ends();
        co_await std::move(t);
        CHECK(tracked::alive == 0);
        task<> u = throws();
        bool thrown = false;
        try {
            co_await std::move(u);
        } catch (const std::runtime_error&) {
            thrown = true;
        }
        CHECK(thrown);
        CHECK(tracked::alive == 0);
    };
    run(body());
}

TEST_CASE("the value of a task is destroyed once, taken or not") {
    auto gives = []() -> task<tracked> { co_return tracked(9); };
    auto body = [&]() -> task<> {
        (void)co_await gives();
        CHECK(tracked::alive == 0);
        const tracked kept = co_await gives();
        CHECK(kept.value == 9);
        CHECK(tracked::alive == 1);
    };
    run(body());
    CHECK(tracked::alive == 0);
}

TEST_CASE("a value is destroyed when a local's destructor throws after the return") {
    struct throws_at_its_end {
        ~throws_at_its_end() noexcept(false) { throw std::runtime_error("late"); }
    };
    auto gives = []() -> task<tracked> {
        const throws_at_its_end last;
        co_return tracked(9);
    };
    auto body = [&]() -> task<> {
        std::string text;
        try {
            (void)co_await gives();
        } catch (const std::runtime_error& e) {
            text = e.what();
        }
        CHECK(text == "late");
    };
    run(body());
    CHECK(tracked::alive == 0);
}
