#include <rondo/on.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/blocking.hpp>
#include <rondo/event.hpp>
#include <rondo/race.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/runtime.hpp>
#include <rondo/sleep.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::context;
using rondo::errc;
using rondo::on;
using rondo::runtime_options;
using rondo::task;
using namespace std::chrono_literals;

namespace {

runtime_options with_threads(unsigned n) { return runtime_options().threads(n); }

task<std::thread::id> thread_of() {
    co_await rondo::this_job::yield();
    co_return std::this_thread::get_id();
}
task<std::size_t> index_of() { co_return context::current().index(); }
task<> fails() {
    co_await rondo::this_job::yield();
    throw std::runtime_error("no luck");
}
/// Sets `waits`, then waits until it is cancelled, and sets `ended`.
task<> waits_for_ever(std::atomic<bool>* waits, std::atomic<bool>* ended) {
    struct at_end {
        std::atomic<bool>* flag;
        ~at_end() { flag->store(true); }
    } const mark{ended};
    rondo::event never;
    waits->store(true);
    co_await never.wait();
}

}  // namespace

TEST_CASE("a task runs from its first line to its end on the context it is sent to") {
    for (const unsigned threads : {2U, 4U}) {
        rondo::run(with_threads(threads), [](unsigned n) -> task<> {
            const std::size_t count = context::count();
            CHECK(count == n);
            std::set<std::thread::id> seen{std::this_thread::get_id()};
            for (std::size_t i = 1; i < count; ++i) {
                const std::thread::id id = co_await on(context::at(i), thread_of());
                CHECK(seen.insert(id).second);
                const std::size_t index = co_await on(context::at(i), index_of());
                CHECK(index == i);
            }
        }(threads));
    }
}

TEST_CASE("a run of one context has number 0, and can send itself a task") {
    rondo::run([]() -> task<> {
        CHECK(context::count() == 1);
        CHECK(context::current() == context::at(0));
        CHECK(context::at(0).is_current());
        const std::thread::id id = co_await on(context::current(), thread_of());
        CHECK(id == std::this_thread::get_id());
    }());
}

TEST_CASE("a context that the run does not have is named in the error") {
    rondo::run(with_threads(2), []() -> task<> {
        try {
            static_cast<void>(context::at(2));
            FAIL("there is no third");
        } catch (const rondo::error& e) {
            CHECK(e.code() == rondo::make_error_code(errc::invalid_argument));
            const std::string what = e.what();
            CHECK(what.find("context::at(2)") != std::string::npos);
            CHECK(what.find("this run has 2 contexts") != std::string::npos);
        }
        co_return;
    }());
    CHECK_THROWS_AS(context::current(), rondo::error);
}

TEST_CASE("results, move-only ones too, and exceptions come back unchanged") {
    rondo::run(with_threads(2), []() -> task<> {
        const context other = context::at(1);
        auto make = [](std::string s) -> task<std::unique_ptr<std::string>> {
            co_return std::make_unique<std::string>(std::move(s) + "!");
        };
        const std::unique_ptr<std::string> made = co_await on(other, make("moved"));
        CHECK(*made == "moved!");
        std::string what;
        try {
            co_await on(other, fails());
        } catch (const std::runtime_error& e) {
            what = e.what();
        }
        CHECK(what == "no luck");
        const rondo::result<void> r = co_await rondo::as_result(on(other, fails()));
        CHECK(!r);
    }());
}

TEST_CASE("for_each_context gives one result of each, in order, for 1, 2 and 4 contexts") {
    for (const unsigned threads : {1U, 2U, 4U}) {
        const std::vector<std::size_t> all = rondo::run(with_threads(threads), []() -> task<std::vector<std::size_t>> {
            std::size_t offset = 100;
            auto numbered = [&](context c) -> task<std::size_t> { co_return offset + c.index(); };
            co_return co_await rondo::for_each_context(numbered);
        }());
        REQUIRE(all.size() == threads);
        for (std::size_t i = 0; i < threads; ++i) CHECK(all[i] == 100 + i);
    }
}

TEST_CASE("a task on another context is cancelled with the job that awaits it, and awaited") {
    rondo::run(with_threads(2), []() -> task<> {
        std::atomic<bool> waits = false;
        std::atomic<bool> ended = false;
        bool timed_out = false;
        try {
            co_await rondo::with_timeout(1ms, on(context::at(1), waits_for_ever(&waits, &ended)));
        } catch (const rondo::error& e) {
            timed_out = e.code() == rondo::make_error_code(errc::timed_out);
        }
        CHECK(timed_out);
        CHECK((ended || !waits));
    }());
}

TEST_CASE("a value that comes in spite of the cancellation counts, whichever comes first") {
    rondo::run(with_threads(2), []() -> task<> {
        int values = 0;
        int ends = 0;
        constexpr int rounds = 3000;
        for (int i = 0; i < rounds; ++i) {
            auto h = rondo::spawn_on(context::at(1), thread_of());
            for (int k = 0; k < i % 50; ++k) co_await rondo::this_job::yield();
            h.cancel();
            const auto r = co_await rondo::as_result(h.join());
            if (r) ++values;
            else if (r.error().code() == rondo::make_error_code(errc::cancelled)) ++ends;
        }
        CHECK(values + ends == rounds);
    }());
}

TEST_CASE("contexts call each other in circles") {
    struct ring {
        static task<int> round(int left) {
            if (left == 0) co_return 0;
            const std::size_t next = (context::current().index() + 1) % context::count();
            co_return 1 + co_await on(context::at(next), round(left - 1));
        }
    };
    CHECK(rondo::run(with_threads(3), ring::round(300)) == 300);
}

TEST_CASE("many tasks at once go to every context and all come back") {
    rondo::run(with_threads(4), []() -> task<> {
        std::vector<rondo::detail::on_operation<std::size_t>> all;
        for (std::size_t i = 0; i < 4000; ++i) all.push_back(on(context::at(i % 4), index_of()));
        const std::vector<std::size_t> got = co_await rondo::when_all(std::move(all));
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != i % 4 ? 1U : 0U;
        CHECK(wrong == 0);
    }());
}

TEST_CASE("the end of the run ends what the other contexts do, also when they wait for each other") {
    std::atomic<bool> waits = false;
    std::atomic<bool> ended = false;
    std::atomic<bool> waits_here = false;
    std::atomic<bool> ended_here = false;
    rondo::run(with_threads(2), [](auto* w, auto* e, auto* wh, auto* eh) -> task<> {
        rondo::spawn_on(context::at(1), waits_for_ever(w, e), "there").detach();
        auto back_and_forth = [](auto* w2, auto* e2) -> task<> { co_await on(context::at(0), waits_for_ever(w2, e2)); };
        rondo::spawn_on(context::at(1), back_and_forth(wh, eh), "there and back").detach();
        while (!*w || !*wh) co_await rondo::this_job::yield();
    }(&waits, &ended, &waits_here, &ended_here));
    CHECK(ended);
    CHECK(ended_here);
}

TEST_CASE("jobs that a task spawned on another context go on there, and end with the run") {
    std::atomic<bool> waits = false;
    std::atomic<bool> ended = false;
    rondo::run(with_threads(2), [](auto* w, auto* e) -> task<> {
        auto spawns = [](auto* w2, auto* e2) -> task<> {
            rondo::spawn(waits_for_ever(w2, e2), "stays").detach();
            co_return;
        };
        co_await on(context::at(1), spawns(w, e));
        while (!*w) co_await rondo::this_job::yield();
        CHECK(!*e);
    }(&waits, &ended));
    CHECK(ended);
}

TEST_CASE("a context that has ended refuses tasks") {
    const context old = rondo::run([]() -> task<context> { co_return context::current(); }());
    rondo::run([](context gone) -> task<> {
        rondo::fault f;
        try {
            co_await on(gone, thread_of());
        } catch (const rondo::error& e) {
            f = e.fault();
        }
        CHECK(f.code() == rondo::make_error_code(errc::closed));
    }(old));
}

TEST_CASE("many contexts share one blocking pool") {
    const auto threads = rondo::run(with_threads(4).blocking_threads(2), []() -> task<std::vector<std::thread::id>> {
        auto calls = [](context) -> task<std::vector<std::thread::id>> {
            std::vector<std::thread::id> seen;
            for (int i = 0; i < 20; ++i)
                seen.push_back(co_await rondo::blocking([] { return std::this_thread::get_id(); }));
            co_return seen;
        };
        std::vector<std::thread::id> all;
        const auto parts = co_await rondo::for_each_context(calls);
        for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
        co_return all;
    }());
    CHECK(threads.size() == 80);
    const std::set<std::thread::id> different(threads.begin(), threads.end());
    CHECK(different.size() <= 2);
}

TEST_CASE("several contexts have no common virtual clock, and a polled runtime has one") {
    rondo::virtual_clock clock;
    const auto code_of = [](auto f) {
        try {
            f();
        } catch (const rondo::error& e) {
            return e.code();
        }
        return std::error_code();
    };
    CHECK(code_of([&] { rondo::run(with_threads(2).clock(clock), fails()); }) ==
          rondo::make_error_code(errc::invalid_argument));
    CHECK(code_of([&] { const rondo::runtime r(rondo::polled, with_threads(2)); }) ==
          rondo::make_error_code(errc::invalid_argument));
    CHECK(code_of([&] { static_cast<void>(with_threads(0)); }) == rondo::make_error_code(errc::invalid_argument));
}

TEST_CASE("a runtime with a thread of its own may have several") {
    rondo::runtime rt(with_threads(3));
    auto sum = []() -> task<std::size_t> {
        auto square = [](context c) -> task<std::size_t> { co_return c.index() * c.index(); };
        std::size_t all = 0;
        const auto squares = co_await rondo::for_each_context(square);
        for (const std::size_t n : squares) all += n;
        co_return all;
    };
    CHECK(rt.submit(sum()).get() == 5);
}

TEST_CASE("a submission is awaited by a job of another context, by one at a time") {
    rondo::runtime rt;
    rondo::run([](rondo::runtime& r) -> task<> {
        const std::thread::id id = co_await r.submit(thread_of());
        CHECK(id != std::this_thread::get_id());

        std::atomic<bool> waits = false;
        std::atomic<bool> ended = false;
        auto s = r.submit(waits_for_ever(&waits, &ended));
        while (!waits) co_await rondo::this_job::yield();
        auto first = rondo::spawn([](auto* held) -> task<> { co_await held->join(); }, &s);
        co_await rondo::this_job::yield();
        const auto second = co_await rondo::as_result(s.join());
        CHECK(second.error().code() == rondo::make_error_code(errc::busy));
        first.cancel();  // ends the wait and not the task
        static_cast<void>(co_await rondo::as_result(first.join()));
        CHECK(!s.is_done());
        s.cancel();
        auto failing = r.submit(fails());
        const auto first_time = co_await rondo::as_result(failing.join());
        const auto second_time = co_await rondo::as_result(failing.join());
        CHECK(first_time.error().text().find("no luck") != std::string::npos);
        CHECK(second_time.error().text().find("its outcome was taken before") != std::string::npos);
        const auto r3 = co_await rondo::as_result(s.join());
        CHECK(r3.error().code() == rondo::make_error_code(errc::cancelled));
        CHECK(ended);
    }(rt));
}

TEST_CASE("a context may end in the turn of the message that ends what it waited for") {
    // The thread that posted it still has the wake to do, through a door that must not have gone.
    rondo::runtime rt;
    for (int i = 0; i < 300; ++i) {
        rondo::run([](rondo::runtime& r) -> task<> {
            auto s = r.submit([]() -> task<> { co_await rondo::this_job::yield(); }());
            co_await s.join();
        }(rt));
    }
    CHECK(rt.submit(index_of()).get() == 0);
}
