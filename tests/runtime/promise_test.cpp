#include <rondo/promise.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/race.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::errc;
using rondo::promise;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> reports;

class listening {
public:
    listening() : before_(rondo::on_report([](std::string_view text) { reports.emplace_back(text); })) {
        reports.clear();
    }
    ~listening() { rondo::on_report(before_); }
    listening(const listening&) = delete;
    listening& operator=(const listening&) = delete;

private:
    rondo::report_handler before_;
};

std::string text_of(const std::exception_ptr& e) {
    try {
        std::rethrow_exception(e);
    } catch (const std::exception& x) {
        return x.what();
    } catch (...) {
        return "not a std::exception";
    }
}

template <class T>
task<std::string> rejection_of(promise<T> p) {
    std::string text = "fulfilled";
    try {
        (void)co_await p;
    } catch (const std::exception& e) {
        text = e.what();
    }
    co_return text;
}
std::exception_ptr boom(const char* text) { return std::make_exception_ptr(std::runtime_error(text)); }

/// A promise and the two functions that settle it.
template <class T>
struct deferred {
    std::optional<rondo::resolver<T>> resolve;
    std::optional<rondo::rejecter<T>> reject;
    promise<T> make() {
        return promise<T>::create([this](auto yes, auto no) {
            resolve.emplace(std::move(yes));
            reject.emplace(std::move(no));
        });
    }
    void drop() {
        resolve.reset();
        reject.reset();
    }
};

template <class F>
auto run_virtual(F& body) {
    rondo::virtual_clock clock;
    return run(rondo::runtime_options().clock(clock), body());
}

}  // namespace

TEST_CASE("the executor of create runs at once, and its resolve settles the promise") {
    auto body = []() -> task<> {
        bool ran = false;
        auto p = promise<int>::create([&](auto resolve, auto) {
            ran = true;
            resolve(42);
        });
        CHECK(ran);
        CHECK(p.is_settled());
        CHECK(p.is_fulfilled());
        CHECK_FALSE(p.is_rejected());
        const int n = co_await p;
        CHECK(n == 42);
        const int again = co_await p;
        CHECK(again == 42);
        auto v = promise<>::create([](auto resolve, auto) { resolve(); });
        co_await v;
    };
    run(body());
}

TEST_CASE("what the executor throws rejects the promise, unless it was settled before") {
    auto body = []() -> task<> {
        auto p = promise<int>::create([](auto, auto) { throw std::runtime_error("in the executor"); });
        CHECK(p.is_rejected());
        const std::string a = co_await rejection_of(p);
        CHECK(a == "in the executor");
        auto q = promise<int>::create([](auto resolve, auto) {
            resolve(1);
            throw std::runtime_error("too late");
        });
        const int n = co_await q;
        CHECK(n == 1);
    };
    run(body());
}

TEST_CASE("a promise settles once: later settlements have no effect") {
    auto body = []() -> task<> {
        auto p = promise<int>::create([](auto resolve, auto reject) {
            resolve(1);
            resolve(2);
            reject(std::runtime_error("three"));
        });
        const int n = co_await p;
        CHECK(n == 1);
        auto q = promise<int>::create([](auto resolve, auto reject) {
            reject(std::runtime_error("one"));
            resolve(2);
        });
        const std::string text = co_await rejection_of(q);
        CHECK(text == "one");
    };
    run(body());
}

TEST_CASE("reactions run in the order of their registration, never inside then or resolve") {
    auto body = []() -> task<> {
        std::string log;
        deferred<int> d;
        auto p = d.make();
        p.then([&](int) { log += 'a'; });
        p.finally([&] { log += 'b'; });
        p.then([&](int) { log += 'c'; });
        (*d.resolve)(1);
        p.then([&](int) { log += 'd'; });
        CHECK(log.empty());
        co_await p;
        CHECK(log == "abcd");
        p.then([&](int) { log += 'e'; });
        CHECK(log == "abcd");
        co_await p;
        CHECK(log == "abcde");
    };
    run(body());
}

TEST_CASE("two chains take turns, as in JavaScript") {
    auto body = []() -> task<> {
        std::string log;
        auto a =
            promise<>::resolved().then([&] { log += "a1 "; }).then([&] { log += "a2 "; }).then([&] { log += "a3 "; });
        auto b =
            promise<>::resolved().then([&] { log += "b1 "; }).then([&] { log += "b2 "; }).then([&] { log += "b3 "; });
        co_await a;
        co_await b;
        CHECK(log == "a1 b1 a2 b2 a3 b3 ");
    };
    run(body());
}

TEST_CASE("a promise returned from then costs the same turns as in JavaScript") {
    auto body = []() -> task<> {
        // Promise.resolve().then(() => Promise.resolve(4)).then(log) settles after three more turns of another chain.
        std::string log;
        auto a = promise<>::resolved()
                     .then([&] {
                         log += "0 ";
                         return promise<int>::resolved(4);
                     })
                     .then([&](int n) { log += std::to_string(n) + " "; });
        auto b = promise<>::resolved()
                     .then([&] { log += "1 "; })
                     .then([&] { log += "2 "; })
                     .then([&] { log += "3 "; })
                     .then([&] { log += "5 "; })
                     .then([&] { log += "6 "; });
        co_await a;
        co_await b;
        CHECK(log == "0 1 2 3 4 5 6 ");
    };
    run(body());
}

TEST_CASE("then passes values on, and what callbacks return may be a value, a promise or a task") {
    auto body = []() -> task<> {
        auto p = promise<int>::resolved(1)
                     .then([](int n) { return n + 1; })
                     .then([](int n) { return promise<std::string>::resolved(std::to_string(n)); })
                     .then([](const std::string& s) -> task<std::string> {
                         std::string mine = s;
                         co_await rondo::sleep_for(1s);
                         co_return mine + "!";
                     });
        static_assert(std::is_same_v<decltype(p), promise<std::string>>);
        const std::string s = co_await p;
        CHECK(s == "2!");
    };
    run_virtual(body);
}

TEST_CASE("a callback that throws rejects what then returned, and values skip catch_") {
    auto body = []() -> task<> {
        std::string log;
        auto p = promise<int>::resolved(1)
                     .then([](int) -> int { throw std::runtime_error("thrown"); })
                     .then([&](int n) {
                         log += "not here ";
                         return n;
                     })
                     .catch_([&](const std::exception_ptr& e) {
                         log += text_of(e) + " ";
                         return 7;
                     })
                     .catch_([&](const std::exception_ptr&) {
                         log += "nor here ";
                         return 8;
                     })
                     .then([&](int n) { log += std::to_string(n); });
        co_await p;
        CHECK(log == "thrown 7");
    };
    run(body());
}

TEST_CASE("catch_ may throw anew, or give a promise or a task that stands in") {
    auto body = []() -> task<> {
        auto anew = promise<int>::rejected(boom("first")).catch_([](const std::exception_ptr&) -> int {
            throw std::runtime_error("second");
        });
        const std::string text = co_await rejection_of(anew);
        CHECK(text == "second");
        const int a = co_await promise<int>::rejected(boom("x")).catch_(
            [](const std::exception_ptr&) { return promise<int>::resolved(3); });
        CHECK(a == 3);
        const int b = co_await promise<int>::rejected(boom("x")).catch_([](const std::exception_ptr&) -> task<int> {
            co_await this_job::yield();
            co_return 4;
        });
        CHECK(b == 4);
        bool caught = false;
        co_await promise<>::rejected(boom("x")).catch_([&](const std::exception_ptr&) { caught = true; });
        CHECK(caught);
    };
    run(body());
}

TEST_CASE("finally runs in either case and lets the outcome through, unless it throws") {
    auto body = []() -> task<> {
        int ran = 0;
        const int n = co_await promise<int>::resolved(5).finally([&] { ++ran; });
        CHECK(n == 5);
        const std::string same = co_await rejection_of(promise<int>::rejected(boom("kept")).finally([&] { ++ran; }));
        CHECK(same == "kept");
        const std::string other =
            co_await rejection_of(promise<int>::resolved(1).finally([] { throw std::runtime_error("of finally"); }));
        CHECK(other == "of finally");
        CHECK(ran == 2);
    };
    run(body());
}

TEST_CASE("all gives the values in the order given, whatever the order of settling") {
    auto body = []() -> task<> {
        auto after = [](int seconds, int x) -> task<int> {
            co_await rondo::sleep_for(std::chrono::seconds(seconds));
            co_return x;
        };
        std::vector<promise<int>> list;
        for (int i = 0; i < 5; ++i) list.push_back(promise<int>::from(after(5 - i, i)));
        const std::vector<int> values = co_await promise<int>::all(list);
        CHECK(values == std::vector<int>{0, 1, 2, 3, 4});
        auto none = promise<int>::all(std::vector<promise<int>>());
        CHECK(none.is_fulfilled());
        std::vector<promise<>> nothings{promise<>::resolved(), promise<>::resolved()};
        co_await promise<>::all(nothings);
    };
    run_virtual(body);
}

TEST_CASE("all is rejected with the first rejection, without waiting for the others") {
    rondo::virtual_clock clock;
    auto body = [&]() -> task<> {
        auto after = [](int seconds, const char* text) -> task<int> {
            co_await rondo::sleep_for(std::chrono::seconds(seconds));
            throw std::runtime_error(text);
        };
        std::vector<promise<int>> list{promise<int>::from(after(9, "late")), promise<int>::resolved(1),
                                       promise<int>::from(after(2, "first")), promise<int>::from(after(3, "second"))};
        const auto begin = clock.now();
        const std::string text = co_await rejection_of(promise<int>::all(list));
        CHECK(text == "first");
        CHECK(clock.now() - begin == 2s);
        for (auto& p : list) (void)co_await rejection_of(p);
    };
    const listening here;
    run(rondo::runtime_options().clock(clock), body());
    CHECK(reports.empty());
}

TEST_CASE("resolving with a promise follows it; further settlements have no effect meanwhile") {
    auto body = []() -> task<> {
        deferred<int> inner;
        deferred<int> outer;
        auto in = inner.make();
        auto out = outer.make();
        (*outer.resolve)(in);
        (*outer.resolve)(99);
        (*outer.reject)(std::runtime_error("ignored"));
        co_await this_job::yield();
        CHECK_FALSE(out.is_settled());
        (*inner.resolve)(5);
        const int n = co_await out;
        CHECK(n == 5);
        auto rejected =
            promise<int>::create([](auto resolve, auto) { resolve(promise<int>::rejected(boom("followed"))); });
        const std::string text = co_await rejection_of(rejected);
        CHECK(text == "followed");
    };
    run(body());
}

TEST_CASE("a promise of a task runs it at once until its first wait") {
    auto body = []() -> task<> {
        std::string log;
        auto work = [&]() -> task<int> {
            log += "started ";
            co_await this_job::yield();
            log += "ended";
            co_return 3;
        };
        auto p = promise<int>::from(work());
        CHECK(log == "started ");
        const int n = co_await p;
        CHECK(n == 3);
        CHECK(log == "started ended");
        auto fails = []() -> task<int> {
            throw std::runtime_error("of the task");
            co_return 0;
        };
        const std::string text = co_await rejection_of(promise<int>::from(fails()));
        CHECK(text == "of the task");
    };
    run(body());
}

TEST_CASE("several jobs await one promise, each gets a copy, in the order of their coming") {
    auto body = []() -> task<> {
        std::string log;
        deferred<std::string> d;
        auto p = d.make();
        auto waits = [&](char c) -> task<> {
            const std::string s = co_await p;
            log += c + s + " ";
        };
        auto settles = [&]() -> task<> {
            co_await this_job::yield();
            (*d.resolve)("v");
        };
        co_await rondo::when_all(waits('a'), waits('b'), waits('c'), settles());
        CHECK(log == "av bv cv ");
    };
    run(body());
}

TEST_CASE("awaits and reactions of one promise come in the order of registration") {
    auto body = []() -> task<> {
        std::string log;
        deferred<int> d;
        auto p = d.make();
        auto waits = [&](char c) -> task<> {
            (void)co_await p;
            log += c;
        };
        auto a = rondo::spawn(waits('1'), "1");
        co_await this_job::yield();
        p.then([&](int) { log += '2'; });
        auto b = rondo::spawn(waits('3'), "3");
        co_await this_job::yield();
        (*d.resolve)(0);
        co_await a.join();
        co_await b.join();
        CHECK(log == "123");
    };
    run(body());
}

TEST_CASE("a cancelled await of a promise ends; the promise and the other waiters go on") {
    auto body = []() -> task<> {
        deferred<int> d;
        auto p = d.make();
        int got = 0;
        auto waits = [&]() -> task<> {
            const int n = co_await p;
            got += n;
        };
        auto a = rondo::spawn(waits(), "a");
        auto b = rondo::spawn(waits(), "b");
        co_await this_job::yield();
        a.cancel();
        const auto r = co_await rondo::as_result(a.join());
        CHECK(r.error() == errc::cancelled);
        const auto t = co_await rondo::as_result(rondo::with_timeout(1ms, promise<int>(p)));
        CHECK(t.error() == errc::timed_out);
        (*d.resolve)(5);
        co_await b.join();
        CHECK(got == 5);
    };
    run(body());
}

TEST_CASE("a promise may be raced and joined with others as a child") {
    auto body = []() -> task<> {
        deferred<int> never;
        auto v = co_await rondo::race(never.make(), promise<int>::resolved(2), rondo::sleep_for(1h));
        CHECK(v.index() == 1);
        auto [a, b] = co_await rondo::when_all(promise<int>::resolved(1), promise<int>::resolved(2));
        CHECK(a + b == 3);
    };
    run_virtual(body);
}

TEST_CASE("a promise whose resolvers are gone is rejected as abandoned, and that is not reported") {
    const listening here;
    auto body = []() -> task<> {
        auto p = promise<int>::create([](auto, auto) {});
        CHECK(p.is_rejected());
        const auto r = co_await rondo::as_result(promise<int>(p));
        CHECK(r.error() == errc::abandoned);
        deferred<int> d;
        auto q = d.make();
        auto drops = [&]() -> task<> {
            co_await this_job::yield();
            d.drop();
        };
        auto h = rondo::spawn(drops(), "drops");
        const auto s = co_await rondo::as_result(promise<int>(q));
        CHECK(s.error() == errc::abandoned);
        co_await h.join();
        {
            auto unseen = promise<int>::create([](auto, auto) {});
        }
    };
    run(body());
    CHECK(reports.empty());
}

TEST_CASE("a rejection that nobody handles is reported once, when the last handle goes") {
    const listening here;
    auto body = []() -> task<> {
        {
            auto p = promise<int>::rejected(boom("unhandled"));
            auto copy = p;
            CHECK(reports.empty());
        }
        CHECK(reports.size() == 1);
        // A chain: only its end is unhandled.
        promise<int>::resolved(1).then([](int) -> int { throw std::runtime_error("at the end"); });
        for (int i = 0; i < 3; ++i) co_await this_job::yield();
        CHECK(reports.size() == 2);
        promise<int>::rejected(boom("caught")).catch_([](const std::exception_ptr&) { return 1; });
        for (int i = 0; i < 3; ++i) co_await this_job::yield();
        CHECK(reports.size() == 2);
    };
    run(body());
    REQUIRE(reports.size() == 2);
    CHECK(reports[0] == "a promise was rejected and nobody handled it: unhandled");
    CHECK(reports[1] == "a promise was rejected and nobody handled it: at the end");
}

TEST_CASE("a promise of a task that the end of the run cancels is rejected as cancelled") {
    const listening here;
    std::string text;
    auto body = [&]() -> task<> {
        auto sleeps = []() -> task<int> {
            co_await rondo::sleep_for(1h);
            co_return 1;
        };
        promise<int>::from(sleeps()).catch_([&](const std::exception_ptr& e) {
            text = text_of(e);
            return 0;
        });
        co_await this_job::yield();
    };
    run_virtual(body);
    CHECK(text.find("cancelled") != text.npos);
    CHECK(reports.empty());
}

TEST_CASE("callbacks and values are given back when the run ends before a promise is settled") {
    {
        deferred<tracked> d;
        auto body = [&]() -> task<> {
            auto p = d.make();
            p.then([held = tracked(1)](const tracked&) { (void)held; });
            CHECK(tracked::alive >= 1);
            co_return;
        };
        run(body());
        (*d.resolve)(tracked(2));  // into the void
    }
    CHECK(tracked::alive == 0);
}

TEST_CASE("a value whose copy throws rejects the promise instead of leaving it for ever") {
    struct throws_on_copy {
        throws_on_copy() = default;
        throws_on_copy(const throws_on_copy&) { throw std::runtime_error("copy"); }
        throws_on_copy& operator=(const throws_on_copy&) = delete;
    };
    auto body = []() -> task<> {
        auto p = promise<throws_on_copy>::create([](auto resolve, auto) {
            const throws_on_copy v;
            resolve(v);
        });
        CHECK(p.is_rejected());
        bool caught = false;
        p.then([](const throws_on_copy&) {}).catch_([&](const std::exception_ptr& e) {
            caught = text_of(e) == "copy";
        });
        for (int i = 0; i < 4; ++i) co_await this_job::yield();
        CHECK(caught);
    };
    run(body());
}

TEST_CASE("a promise is settled from another thread, by value or by exception") {
    auto body = []() -> task<> {
        std::vector<std::thread> threads;
        auto p = promise<std::string>::create(
            [&](auto resolve, auto) { threads.emplace_back([resolve] { resolve("from outside"); }); });
        auto q = promise<int>::create(
            [&](auto, auto reject) { threads.emplace_back([reject] { reject(std::runtime_error("from outside")); }); });
        auto dropped = promise<int>::create([&](auto resolve, auto) { threads.emplace_back([resolve] {}); });
        const std::string s = co_await p;
        CHECK(s == "from outside");
        const std::string text = co_await rejection_of(q);
        CHECK(text == "from outside");
        const auto r = co_await rondo::as_result(promise<int>(dropped));
        CHECK(r.error() == errc::abandoned);
        for (std::thread& t : threads) t.join();
    };
    run(body());
}

TEST_CASE("many threads settle the same promise: one wins") {
    auto body = []() -> task<> {
        for (int round = 0; round < 50; ++round) {
            std::vector<std::thread> threads;
            auto p = promise<int>::create([&](auto resolve, auto reject) {
                for (int i = 0; i < 4; ++i) {
                    threads.emplace_back([resolve, reject, i] {
                        if (i % 2 == 0) resolve(i);
                        else reject(std::runtime_error("odd"));
                    });
                }
            });
            const auto r = co_await rondo::as_result(promise<int>(p));
            if (r) CHECK(*r % 2 == 0);
            else CHECK(r.error().text() == "odd");
            for (std::thread& t : threads) t.join();
        }
    };
    run(body());
}

TEST_CASE("ten thousand promises settled by another thread while the loop parks and wakes") {
    auto body = []() -> task<> {
        std::vector<rondo::resolver<int>> resolvers;
        std::vector<promise<int>> promises;
        for (int i = 0; i < 10'000; ++i) {
            promises.push_back(
                promise<int>::create([&](auto resolve, auto) { resolvers.push_back(std::move(resolve)); }));
        }
        std::thread settler([list = std::move(resolvers)]() mutable {
            int i = 0;
            for (auto& r : list) {
                r(i++);
                if (i % 97 == 0) std::this_thread::yield();
            }
            list.clear();
        });
        long sum = 0;
        for (auto& p : promises) {
            const int n = co_await p;
            sum += n;
        }
        settler.join();
        CHECK(sum == 9'999L * 10'000 / 2);
    };
    run(body());
}

TEST_CASE("a thread that settles a promise after the run is over harms nobody") {
    std::thread late;
    std::atomic<bool> over{false};
    auto body = [&]() -> task<> {
        auto p = promise<int>::create([&](auto resolve, auto) {
            late = std::thread([resolve, &over] {
                over.wait(false);
                resolve(1);
            });
        });
        p.then([held = tracked(1)](int) { (void)held; });
        co_return;
    };
    run(body());
    over.store(true);
    over.notify_all();
    late.join();
    CHECK(tracked::alive == 0);
}

TEST_CASE("waiting for a promise that another thread can still settle is no deadlock; without one it is") {
    auto body = []() -> task<> {
        std::thread t;
        auto p = promise<int>::create([&](auto resolve, auto) {
            t = std::thread([resolve] {
                std::this_thread::sleep_for(3ms);
                resolve(1);
            });
        });
        (void)co_await p;
        t.join();
    };
    run(body());
}
