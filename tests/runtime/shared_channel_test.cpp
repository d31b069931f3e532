#include <rondo/shared_channel.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/on.hpp>
#include <rondo/report.hpp>
#include <rondo/run.hpp>
#include <rondo/runtime.hpp>
#include <rondo/sleep.hpp>
#include <rondo/this_job.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::context;
using rondo::errc;
using rondo::runtime_options;
using rondo::shared_channel;
using rondo::task;
using namespace std::chrono_literals;

namespace {
task<> sends(shared_channel<int>& c, int first, int count) {
    for (int i = 0; i < count; ++i) co_await c.send(first + i);
}
task<std::int64_t> sum_of(shared_channel<int>& c) {
    std::int64_t sum = 0;
    while (const auto v = co_await c.receive()) sum += *v;
    co_return sum;
}

/// A job that does nothing when its wait is over.
struct ended_job : rondo::detail::job {
    ended_job() noexcept : job(table) {}
    static void run(job&) noexcept {}
    static constexpr rondo::detail::job_ops table{nullptr, &run, nullptr, nullptr};
};
}  // namespace

TEST_CASE("what many contexts send to many others arrives once, at every capacity") {
    for (const std::size_t capacity : {0U, 1U, 16U}) {
        shared_channel<int> c(capacity);
        const std::int64_t sum = rondo::run(runtime_options().threads(4), [](auto& ch) -> task<std::int64_t> {
            auto h0 = rondo::spawn_on(context::at(0), sum_of(ch));
            auto h1 = rondo::spawn_on(context::at(1), sum_of(ch));
            auto all_sent = rondo::when_all(rondo::on(context::at(2), sends(ch, 0, 2000)),
                                            rondo::on(context::at(3), sends(ch, 2000, 2000)));
            co_await std::move(all_sent);
            ch.close();
            const std::int64_t a = co_await h0.join();
            const std::int64_t b = co_await h1.join();
            co_return a + b;
        }(c));
        CHECK(sum == 4000LL * 3999 / 2);
    }
}

TEST_CASE("one sender's elements come to one receiver in their order") {
    shared_channel<int> c(3);
    rondo::run(runtime_options().threads(2), [](auto& ch) -> task<> {
        auto h = rondo::spawn_on(context::at(1), sends(ch, 0, 5000));
        int next = 0;
        int wrong = 0;
        while (next < 5000) {
            const auto v = co_await ch.receive();
            wrong += *v != next++ ? 1 : 0;
        }
        CHECK(wrong == 0);
        co_await h.join();
    }(c));
}

TEST_CASE("a closed shared channel gives what is in it and then nothing; sends to it fail") {
    shared_channel<std::unique_ptr<int>> c(2);
    rondo::run([](auto& ch) -> task<> {
        co_await ch.send(std::make_unique<int>(1));
        CHECK(ch.try_send(std::make_unique<int>(2)));
        auto third = std::make_unique<int>(3);
        CHECK(!ch.try_send(std::move(third)));
        CHECK(third != nullptr);
        auto waiting = rondo::spawn([](auto* held) -> task<> { co_await held->send(std::make_unique<int>(4)); }, &ch);
        co_await rondo::this_job::yield();
        CHECK(rondo::dump_jobs().find("send to a shared channel") != std::string::npos);
        ch.close();
        ch.close();
        const auto r = co_await rondo::as_result(waiting.join());
        CHECK(r.error().code() == rondo::make_error_code(errc::closed));
        const auto late = co_await rondo::as_result(ch.send(std::make_unique<int>(5)));
        CHECK(late.error().code() == rondo::make_error_code(errc::closed));
        const auto first = co_await ch.receive();
        CHECK(**first == 1);
        const auto second = ch.try_receive();
        CHECK(**second == 2);
        const auto none = co_await ch.receive();
        CHECK(!none);
        CHECK(ch.is_closed());
        CHECK(ch.size() == 0);
    }(c));
}

TEST_CASE("a thread without a context sends to jobs and receives from them") {
    shared_channel<int> in(4);
    shared_channel<int> out(4);
    rondo::runtime rt;
    auto s = rt.submit([](auto& a, auto& b) -> task<> {
        while (const auto v = co_await a.receive()) co_await b.send(2 * *v);
        b.close();
    }(in, out));
    int got = 0;
    int sum = 0;
    for (int i = 0; i < 100;) {
        if (in.try_send(int{i})) ++i;
        while (const auto v = out.try_receive()) sum += *v, ++got;
    }
    in.close();
    while (got < 100)
        while (const auto v = out.try_receive()) sum += *v, ++got;
    s.get();
    CHECK(sum == 9900);
}

TEST_CASE("cancelled sends and receives lose no element") {
    shared_channel<int> c(1);
    rondo::run(runtime_options().threads(2), [](auto& ch) -> task<> {
        std::atomic<int> received = 0;
        std::atomic<bool> stop = false;
        auto receiver = [](auto& from, std::atomic<int>& count, std::atomic<bool>& end) -> task<> {
            const auto receives = [](auto* a) -> task<bool> {
                const auto v = co_await a->receive();
                co_return v.has_value();
            };
            while (!end) {
                auto h = rondo::spawn(receives, &from);
                co_await rondo::this_job::yield();
                h.cancel();
                const auto r = co_await rondo::as_result(h.join());
                if (r && *r) ++count;
            }
        };
        auto h = rondo::spawn_on(context::at(1), receiver(ch, received, stop));
        int sent = 0;
        for (int i = 0; i < 5000; ++i) {
            auto one = rondo::spawn([](auto* a) -> task<> { co_await a->send(1); }, &ch);
            for (int k = 0; k < i % 7; ++k) co_await rondo::this_job::yield();
            one.cancel();
            const auto r = co_await rondo::as_result(one.join());
            if (r) ++sent;
        }
        stop = true;
        co_await h.join();
        while (ch.try_receive()) ++received;
        CHECK(received == sent);
    }(c));
}

TEST_CASE("an element that was handed to a receiver which never looks goes to the next") {
    shared_channel<int> c(0);
    rondo::run([](auto& ch) -> task<> {
        {
            ended_job waits;
            auto lost = ch.receive();
            lost.waiting = &waits;
            waits.leaf = &lost;
            CHECK(lost.begin());
            CHECK(ch.try_send(7));
            while (waits.leaf != nullptr) co_await rondo::this_job::yield();  // until the message arrives
        }  // destroyed as a straggler's frame is: between the hand-over and its resumption
        const auto v = ch.try_receive();
        CHECK(v == 7);
        co_return;
    }(c));
}
