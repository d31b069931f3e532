// How promises end that are used wrongly, never settle, or outlive their run.
#include <rondo/promise.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::errc;
using rondo::promise;
using rondo::run;
using rondo::task;

namespace {

template <class T>
promise<T> keep_resolver(std::unique_ptr<rondo::resolver<T>>& kept) {
    return promise<T>::create(
        [&](auto resolve, auto) { kept = std::make_unique<rondo::resolver<T>>(std::move(resolve)); });
}

/// The fault it is rejected with.
template <class T>
task<rondo::fault> rejection_of(promise<T> p) {
    const auto r = co_await rondo::as_result(std::move(p));
    co_return r ? rondo::fault() : r.error();
}

}  // namespace

TEST_CASE("a promise rejected with a null exception_ptr is rejected, and says so") {
    auto body = []() -> task<> {
        auto p = promise<int>::create([](auto, auto reject) { reject(std::exception_ptr()); });
        CHECK(p.is_rejected());
        const rondo::fault f = co_await rejection_of(p);
        CHECK(f == errc::invalid_argument);
        CHECK(f.text() == "promise: invalid argument: rejected with a null std::exception_ptr");
        auto q = promise<>::rejected(nullptr);
        CHECK(q.is_rejected());
        const rondo::fault g = co_await rejection_of(q);
        CHECK(g == errc::invalid_argument);
    };
    run(body());
}

TEST_CASE("cancelled as a rejection becomes an error with errc::cancelled: nobody who awaits it was cancelled") {
    auto body = []() -> task<> {
        const rondo::cancelled c(rondo::cancel_reason::deadline);
        const rondo::fault a = co_await rejection_of(promise<int>::rejected(std::make_exception_ptr(c)));
        CHECK(a == errc::cancelled);
        CHECK(a.detail() == "reason: deadline");
        const rondo::fault b =
            co_await rejection_of(promise<int>::create([&](auto, auto reject) { reject(rondo::cancelled(c)); }));
        CHECK(b == errc::cancelled);
        const rondo::fault d =
            co_await rejection_of(promise<int>::resolved(1).then([&](int) -> int { throw rondo::cancelled(c); }));
        CHECK(d == errc::cancelled);
    };
    run(body());
}

TEST_CASE("a promise resolved with itself is rejected, as in JavaScript") {
    auto body = []() -> task<> {
        std::unique_ptr<rondo::resolver<int>> resolve;
        auto p = keep_resolver(resolve);
        (*resolve)(p);
        const rondo::fault f = co_await rejection_of(p);
        CHECK(f == errc::invalid_argument);
        CHECK(f.text() == "promise: invalid argument: resolved with itself, it would wait for ever");
        std::optional<promise<int>> own;
        own = promise<int>::resolved(1).then([&](int) { return *own; });
        const rondo::fault g = co_await rejection_of(*own);
        CHECK(g == errc::invalid_argument);
    };
    run(body());
}

TEST_CASE("a promise of one run is refused in another, settled or not") {
    std::unique_ptr<rondo::resolver<int>> resolve;
    std::optional<promise<int>> pending;
    std::optional<promise<int>> settled;
    auto first = [&]() -> task<> {
        pending = keep_resolver(resolve);
        settled = promise<int>::resolved(1);
        co_return;
    };
    run(first());
    auto second = [&]() -> task<> {
        for (const promise<int>& p : {*pending, *settled}) {
            const rondo::fault f = co_await rejection_of(p);
            CHECK(f == errc::invalid_argument);
            CHECK(f.text() == "promise: invalid argument: it belongs to the run that made it, not to this");
            CHECK_THROWS_WITH(p.then([](int) {}), f.text());
            const rondo::fault g = co_await rejection_of(promise<int>::create([&](auto follow, auto) { follow(p); }));
            CHECK(g.text() == f.text());
        }
        auto waits = [](promise<int> p) -> task<int> { co_return co_await p; };
        auto h = rondo::spawn(waits(*pending));
        co_await rondo::this_job::yield();
        (*resolve)(7);
        const auto r = co_await rondo::as_result(h.join());
        REQUIRE_FALSE(r.has_value());
        CHECK(r.error() == errc::invalid_argument);
    };
    run(second());
}

TEST_CASE("a chain of any length that never settles is dropped without recursion") {
    std::unique_ptr<rondo::resolver<int>> resolve;
    auto body = [&]() -> task<> {
        auto p = keep_resolver(resolve).then([held = tracked(1)](int n) { return n + held.value; });
        for (int i = 0; i < 200'000; ++i) p = p.then([](int n) { return n; });
        p.then([held = tracked(1)](int) {});
        co_return;
    };
    SECTION("its resolver goes after the run") {
        run(body());
        CHECK(tracked::alive == 2);
        resolve.reset();
    }
    SECTION("it is settled after the run") {
        run(body());
        (*resolve)(1);
        resolve.reset();
    }
    CHECK(tracked::alive == 0);
}
