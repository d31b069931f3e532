// The order in which callbacks run, against what Node.js 20 prints for the same programs.
#include <rondo/promise.hpp>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include <rondo/run.hpp>
#include <rondo/this_job.hpp>

#include "support/catch.hpp"

using rondo::promise;
using rondo::run;
using rondo::task;

namespace {

std::string order;
void note(const char* what) { (order += what) += ' '; }

std::exception_ptr boom(const char* text) { return std::make_exception_ptr(std::runtime_error(text)); }
promise<int> rejected() { return promise<int>::rejected(boom("1")); }

task<> turns(int n) {
    for (int i = 0; i < n; ++i) co_await rondo::this_job::yield();
}

/// A chain whose callbacks number the turns.
void count_turns(int n) {
    promise<> p = promise<>::resolved();
    for (int i = 1; i <= n; ++i) p = p.then([i] { note(std::to_string(i).c_str()); });
}

/// Runs `body` in the first turn and gives the order of its notes.
template <class F>
std::string order_of(F& body) {
    order.clear();
    auto main = [](F& b) -> task<> {
        b();
        co_await turns(30);
    };
    run(main(body));
    return order;
}

}  // namespace

TEST_CASE("a program with all sorts of promises runs in the order of Node.js") {
    auto body = [] {
        auto nothing = []() -> task<> { co_return; };
        auto awaits_twice = [](promise<int> p) -> task<> {
            note("as0");
            (void)co_await p;
            note("as1");
            (void)co_await p;
            note("as2");
        };
        auto awaits_task = [](promise<> p) -> task<> {
            co_await p;
            note("at1");
        };
        const auto p = promise<int>::resolved(1);
        p.then([](int) {
             note("a1");
             return promise<int>::resolved(1);
         }).then([](int) { note("a2"); });
        p.then([](int) { note("b1"); })
            .then([] { note("b2"); })
            .then([] { note("b3"); })
            .then([] { note("b4"); })
            .then([] { note("b5"); })
            .then([] { note("b6"); });
        p.finally([] { note("f1"); }).then([](int) { note("f2"); });
        rejected()
            .catch_([](const std::exception_ptr&) {
                note("c1");
                return 1;
            })
            .then([](int) { note("c2"); });
        rejected().finally([] { note("g1"); }).catch_([](const std::exception_ptr&) {
            note("g2");
            return 1;
        });
        promise<int>::all({p, p}).then([](const std::vector<int>&) { note("all"); });
        promise<int>::all({}).then([](const std::vector<int>&) { note("all0"); });
        promise<int>::create([&](auto resolve, auto) { resolve(p); }).then([](int) { note("follow"); });
        promise<int>::create([](auto resolve, auto) {
            resolve(1);
            note("sync");
        }).then([](int) { note("n1"); });
        promise<>::from(awaits_twice(p));
        promise<>::from(awaits_task(promise<>::from(nothing())));
        p.then([](int) -> task<> {
             note("h1");
             co_return;
         }).then([] { note("h2"); });
        note("end");
    };
    CHECK(order_of(body) ==
          "sync as0 end a1 b1 f1 c1 g1 all0 n1 as1 at1 h1 b2 c2 all as2 b3 follow a2 b4 f2 g2 h2 b5 b6 ");
}

TEST_CASE("finally settles in the same turn as in Node.js, whatever its callback gives") {
    SECTION("nothing") {
        auto body = [] {
            promise<int>::resolved(1).finally([] {}).then([](int) { note("end"); });
            count_turns(8);
        };
        CHECK(order_of(body) == "1 2 3 end 4 5 6 7 8 ");
    }
    SECTION("a value") {
        auto body = [] {
            promise<int>::resolved(1).finally([] { return 2; }).then([](int n) { note(n == 1 ? "end" : "changed"); });
            count_turns(8);
        };
        CHECK(order_of(body) == "1 2 3 end 4 5 6 7 8 ");
    }
    SECTION("a promise") {
        auto body = [] {
            promise<int>::resolved(1).finally([] { return promise<>::resolved(); }).then([](int) { note("end"); });
            count_turns(8);
        };
        CHECK(order_of(body) == "1 2 3 end 4 5 6 7 8 ");
    }
    SECTION("a task") {
        auto body = [] {
            promise<int>::resolved(1)
                .finally([]() -> task<> {
                    note("runs");
                    co_return;
                })
                .then([](int) { note("end"); });
            count_turns(8);
        };
        CHECK(order_of(body) == "runs 1 2 3 end 4 5 6 7 8 ");
    }
    SECTION("of a rejected promise") {
        auto body = [] {
            rejected().finally([] {}).catch_([](const std::exception_ptr&) {
                note("end");
                return 1;
            });
            count_turns(8);
        };
        CHECK(order_of(body) == "1 2 3 end 4 5 6 7 8 ");
    }
    SECTION("it throws") {
        auto body = [] {
            promise<int>::resolved(1)
                .finally([] { throw std::runtime_error("thrown"); })
                .catch_([](const std::exception_ptr&) {
                    note("end");
                    return 1;
                });
            count_turns(8);
        };
        CHECK(order_of(body) == "1 end 2 3 4 5 6 7 8 ");
    }
}

TEST_CASE("finally waits for what its callback returns, and that one's rejection is the outcome") {
    auto body = []() -> task<> {
        std::string log;
        auto cleans = [](std::string& out) -> task<int> {
            co_await rondo::this_job::yield();
            out += "cleaned ";
            co_return 7;
        };
        const int n = co_await promise<int>::resolved(1).finally([&] { return cleans(log); });
        CHECK(n == 1);
        CHECK(log == "cleaned ");
        std::string text;
        try {
            (void)co_await promise<int>::resolved(1).finally([] { return promise<>::rejected(boom("of finally")); });
        } catch (const std::runtime_error& e) {
            text = e.what();
        }
        CHECK(text == "of finally");
        try {
            (void)co_await rejected().finally([]() -> task<> {
                throw std::runtime_error("of its task");
                co_return;
            });
        } catch (const std::runtime_error& e) {
            text = e.what();
        }
        CHECK(text == "of its task");
    };
    run(body());
}
