// Promises/A+ rule by rule (promisesaplus.com, version 1.1.1), as far as a typed promise can break it. Left out: 2.2.1
// and 2.2.5 (callbacks that are no functions, and `this`: the compiler refuses the one, and C++ has not the
// other), 2.2.7.3/4 are `catch_` and `then` passing through, 2.3.3 (thenables by duck typing: a type is a promise or it
// is not).
#include <rondo/promise.hpp>

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <rondo/aggregate_error.hpp>
#include <rondo/as_result.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::promise;
using rondo::promise_status;
using rondo::task;

namespace {

template <class F>
void in_run(F main) {
    rondo::virtual_clock clock;
    rondo::run(rondo::runtime_options().clock(clock), main());
}

std::exception_ptr failure(const char* what) { return std::make_exception_ptr(std::runtime_error(what)); }

std::string text_of(const std::exception_ptr& e) {
    try {
        std::rethrow_exception(e);
    } catch (const std::exception& x) {
        return x.what();
    }
}

/// Lets every callback run that is queued now, and those they queue.
task<> settle() {
    for (int i = 0; i < 20; ++i) co_await rondo::this_job::yield();
}

}  // namespace

TEST_CASE("2.1.1: a pending promise may become fulfilled or rejected") {
    in_run([]() -> task<> {
        auto [p, resolve, reject] = promise<int>::with_resolvers();
        CHECK(p.status() == promise_status::pending);
        resolve(1);
        CHECK(p.status() == promise_status::fulfilled);
        auto [q, resolve_q, reject_q] = promise<int>::with_resolvers();
        reject_q(std::runtime_error("no"));
        CHECK(q.status() == promise_status::rejected);
        q.catch_([](const std::exception_ptr&) { return 0; });
        co_await settle();
    });
}

TEST_CASE("2.1.2: a fulfilled promise stays so, with its value") {
    in_run([]() -> task<> {
        auto [p, resolve, reject] = promise<int>::with_resolvers();
        resolve(1);
        resolve(2);
        reject(std::runtime_error("late"));
        const int v = co_await p;
        CHECK(v == 1);
        CHECK(p.status() == promise_status::fulfilled);
    });
}

TEST_CASE("2.1.3: a rejected promise stays so, with its reason") {
    in_run([]() -> task<> {
        auto [p, resolve, reject] = promise<int>::with_resolvers();
        reject(std::runtime_error("first"));
        reject(std::runtime_error("second"));
        resolve(1);
        const auto r = co_await rondo::as_result(promise<int>(p));
        CHECK(r.error().text().find("first") != std::string::npos);
    });
}

TEST_CASE("2.2.2: a callback for the value is called after it is there, with it, and once") {
    in_run([]() -> task<> {
        auto [p, resolve, reject] = promise<int>::with_resolvers();
        std::vector<int> called;
        p.then([&](int v) { called.push_back(v); });
        co_await settle();
        CHECK(called.empty());
        resolve(7);
        resolve(8);
        co_await settle();
        CHECK(called == std::vector{7});
    });
}

TEST_CASE("2.2.3: a callback for the reason is called after it is there, with it, and once") {
    in_run([]() -> task<> {
        auto [p, resolve, reject] = promise<int>::with_resolvers();
        std::vector<std::string> called;
        p.catch_([&](const std::exception_ptr& e) {
            called.push_back(text_of(e));
            return 0;
        });
        co_await settle();
        CHECK(called.empty());
        reject(std::runtime_error("why"));
        reject(std::runtime_error("again"));
        co_await settle();
        CHECK(called == std::vector<std::string>{"why"});
    });
}

TEST_CASE("2.2.4: no callback runs inside then, resolve or reject") {
    in_run([]() -> task<> {
        bool called = false;
        auto done = promise<int>::resolved(1);
        done.then([&](int) { called = true; });
        CHECK(!called);
        auto [p, resolve, reject] = promise<int>::with_resolvers();
        bool later = false;
        p.then([&](int) { later = true; });
        resolve(1);
        CHECK(!later);
        co_await settle();
        CHECK(called);
        CHECK(later);
    });
}

TEST_CASE("2.2.6: callbacks of one promise run in the order in which they were added") {
    in_run([]() -> task<> {
        auto [p, resolve, reject] = promise<int>::with_resolvers();
        std::string order;
        p.then([&](int) { order += 'a'; });
        p.then([&](int) {
            order += 'b';
            p.then([&](int) { order += 'd'; });
        });
        p.then([&](int) { order += 'c'; });
        resolve(1);
        co_await settle();
        CHECK(order == "abcd");
    });
}

TEST_CASE("2.2.7.1: then's promise takes on what its callback gives: a value, a promise, a task") {
    in_run([]() -> task<> {
        const auto p = promise<int>::resolved(1);
        const std::string value = co_await p.then([](int v) { return std::to_string(v); });
        CHECK(value == "1");
        const int adopted = co_await p.then([](int v) { return promise<int>::resolved(v + 1); });
        CHECK(adopted == 2);
        const int from_task = co_await p.then([](int v) -> task<int> {
            co_await rondo::sleep_for(std::chrono::seconds(1));
            co_return v + 2;
        });
        CHECK(from_task == 3);
        // A chain of promises of promises is one promise at its end.
        const int flat = co_await p.then(
            [](int v) { return promise<int>::resolved(v).then([](int w) { return promise<int>::resolved(w + 9); }); });
        CHECK(flat == 10);
    });
}

TEST_CASE("2.2.7.2: a callback that throws rejects then's promise, whatever it was called for") {
    in_run([]() -> task<> {
        const auto good = co_await rondo::as_result(
            promise<int>::resolved(1).then([](int) -> int { throw std::runtime_error("in then"); }));
        CHECK(good.error().text().find("in then") != std::string::npos);
        const auto bad =
            co_await rondo::as_result(promise<int>::rejected(failure("x")).catch_([](const std::exception_ptr&) -> int {
                throw std::runtime_error("in catch");
            }));
        CHECK(bad.error().text().find("in catch") != std::string::npos);
    });
}

TEST_CASE("2.2.7.3 and 2.2.7.4: what no callback is for passes through") {
    in_run([]() -> task<> {
        const int v = co_await promise<int>::resolved(5).catch_([](const std::exception_ptr&) { return 0; });
        CHECK(v == 5);
        bool called = false;
        const auto r = co_await rondo::as_result(promise<int>::rejected(failure("through")).then([&](int) {
            called = true;
            return 1;
        }));
        CHECK(r.error().text().find("through") != std::string::npos);
        CHECK(!called);
    });
}

TEST_CASE("2.3.1: a promise that is resolved with itself is rejected") {
    in_run([]() -> task<> {
        auto [p, resolve, reject] = promise<int>::with_resolvers();
        resolve(p);
        const auto r = co_await rondo::as_result(promise<int>(p));
        CHECK(!r);
    });
}

TEST_CASE("2.3.2: a promise that is resolved with another takes on its state, and nothing else counts any more") {
    in_run([]() -> task<> {
        auto [inner, resolve_inner, reject_inner] = promise<int>::with_resolvers();
        auto [outer, resolve, reject] = promise<int>::with_resolvers();
        resolve(inner);
        resolve(99);
        reject(std::runtime_error("late"));
        co_await settle();
        CHECK(outer.status() == promise_status::pending);
        resolve_inner(3);
        const int v = co_await outer;
        CHECK(v == 3);

        auto [inner2, resolve2, reject2] = promise<int>::with_resolvers();
        auto [outer2, resolve_outer2, reject_outer2] = promise<int>::with_resolvers();
        resolve_outer2(inner2);
        reject2(std::runtime_error("inner failed"));
        const auto r = co_await rondo::as_result(promise<int>(outer2));
        CHECK(r.error().text().find("inner failed") != std::string::npos);
    });
}

TEST_CASE("all_settled gives every outcome in order; of nothing it is fulfilled") {
    in_run([]() -> task<> {
        auto [late, resolve, reject] = promise<int>::with_resolvers();
        auto all = promise<int>::all_settled({promise<int>::resolved(1), promise<int>::rejected(failure("two")), late});
        co_await settle();
        CHECK(all.status() == promise_status::pending);
        resolve(3);
        const auto outcomes = co_await all;
        REQUIRE(outcomes.size() == 3);
        CHECK(*outcomes[0] == 1);
        CHECK(outcomes[1].error().text().find("two") != std::string::npos);
        CHECK(*outcomes[2] == 3);
        auto none = promise<void>::all_settled({});
        const auto nothing = co_await none;
        CHECK(nothing.empty());
    });
}

TEST_CASE("any is the first value; when all are rejected, or there are none, it says so") {
    in_run([]() -> task<> {
        auto [late, resolve, reject] = promise<int>::with_resolvers();
        auto first = promise<int>::any({promise<int>::rejected(failure("a")), late, promise<int>::resolved(2)});
        const int v = co_await first;
        CHECK(v == 2);
        resolve(1);
        std::vector<std::string> whys;
        auto none = promise<int>::any({promise<int>::rejected(failure("a")), promise<int>::rejected(failure("b"))});
        try {
            static_cast<void>(co_await none);
        } catch (const rondo::aggregate_error& e) {
            for (const rondo::fault& f : e.faults()) whys.push_back(f.text());
        }
        REQUIRE(whys.size() == 2);
        CHECK(whys[0].find('a') != std::string::npos);
        CHECK(whys[1].find('b') != std::string::npos);
        bool empty = false;
        auto of_nothing = promise<int>::any({});
        try {
            static_cast<void>(co_await of_nothing);
        } catch (const rondo::aggregate_error& e) {
            empty = e.faults().empty();
        }
        CHECK(empty);
    });
}

TEST_CASE("race is the first to settle, value or reason; of none it is abandoned") {
    in_run([]() -> task<> {
        auto [late, resolve, reject] = promise<int>::with_resolvers();
        auto first = promise<int>::race({late, promise<int>::resolved(2)});
        const int v = co_await first;
        CHECK(v == 2);
        auto failed = promise<int>::race({late, promise<int>::rejected(failure("first"))});
        const auto r = co_await rondo::as_result(std::move(failed));
        CHECK(r.error().text().find("first") != std::string::npos);
        resolve(1);
        auto none = promise<int>::race({});
        const auto nothing = co_await rondo::as_result(std::move(none));
        CHECK(nothing.error().code() == rondo::make_error_code(errc::abandoned));
    });
}
