#include <rondo/channel.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/race.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "runtime/tracked.hpp"
#include "support/catch.hpp"

using rondo::channel;
using rondo::errc;
using rondo::run;
using rondo::task;
namespace this_job = rondo::this_job;
using namespace std::chrono_literals;

namespace {

task<> send_all(channel<int> c, int first, int last) {
    for (int i = first; i <= last; ++i) co_await c.send(i);
}

task<> receive_all(channel<int> c, std::string& log) {
    while (auto v = co_await c.receive()) log += std::to_string(*v) + " ";
    log += "end";
}

task<> receive_one(channel<int> c, std::string& log, char name) {
    const std::optional<int> v = co_await c.receive();
    log += name + (v.has_value() ? std::to_string(*v) : std::string("-"));
}

task<> send_one(channel<int> c, std::string& log, int value) {
    co_await c.send(value);
    log += std::to_string(value);
}

}  // namespace

TEST_CASE("what is sent is received in order, and then the end") {
    const auto capacity = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{100});
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> c(capacity);
        CHECK(c.capacity() == capacity);
        auto receiver = rondo::spawn(receive_all(c, log), "receiver");
        co_await send_all(c, 1, 9);
        c.close();
        co_await receiver.join();
    };
    run(body());
    CHECK(log == "1 2 3 4 5 6 7 8 9 end");
}

TEST_CASE("a channel takes its capacity at once and no more, and gives room to the sender that waits longest") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> c(2);
        auto a = rondo::spawn(send_one(c, log, 1), "a");
        auto b = rondo::spawn(send_one(c, log, 2), "b");
        auto d = rondo::spawn(send_one(c, log, 3), "d");
        auto e = rondo::spawn(send_one(c, log, 4), "e");
        co_await this_job::yield();
        CHECK(log == "12");
        CHECK(c.size() == 2);
        const std::optional<int> first = co_await c.receive();
        CHECK(first == 1);
        CHECK(c.size() == 2);
        co_await this_job::yield();
        CHECK(log == "123");
        CHECK_FALSE(c.try_send(5));
        const std::vector<int> rest = co_await c.receive_many(10);
        CHECK(rest == std::vector{2, 3, 4});
        co_await e.join();
        CHECK((a.is_done() && b.is_done() && d.is_done()));
    };
    run(body());
}

TEST_CASE("without capacity a send ends when its element was taken") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> c;
        CHECK(c.capacity() == 0);
        CHECK_FALSE(c.try_send(1));
        auto sender = rondo::spawn(send_one(c, log, 2), "sender");
        co_await this_job::yield();
        CHECK(log.empty());
        CHECK(c.size() == 0);
        CHECK(c.try_receive() == 2);
        CHECK(log.empty());
        co_await sender.join();
        CHECK(log == "2");
        auto receiver = rondo::spawn(receive_one(c, log, 'r'), "receiver");
        co_await this_job::yield();
        CHECK(c.try_send(3));
        co_await receiver.join();
        CHECK(log == "2r3");
    };
    run(body());
}

TEST_CASE("receivers are served first come, first served, and nobody overtakes them") {
    const auto capacity = GENERATE(std::size_t{0}, std::size_t{2});
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> c(capacity);
        auto a = rondo::spawn(receive_one(c, log, 'a'), "a");
        auto b = rondo::spawn(receive_one(c, log, 'b'), "b");
        auto d = rondo::spawn(receive_one(c, log, 'd'), "d");
        co_await this_job::yield();
        co_await send_all(c, 1, 2);
        CHECK_FALSE(c.try_receive().has_value());
        co_await send_all(c, 3, 3);
        co_await d.join();
        CHECK(log == "a1b2d3");
        CHECK((a.is_done() && b.is_done()));
    };
    run(body());
}

TEST_CASE("a send into a closed channel fails, and try_send says no and keeps its element") {
    auto body = []() -> task<> {
        const channel<std::unique_ptr<int>> c(2);
        auto kept = std::make_unique<int>(1);
        c.close();
        c.close();
        CHECK(c.is_closed());
        CHECK_FALSE(c.try_send(std::move(kept)));
        CHECK(kept != nullptr);
        const auto from = co_await rondo::as_result(c.send_from(kept));
        CHECK(from.error() == errc::closed);
        CHECK(kept != nullptr);
        const auto given = co_await rondo::as_result(c.send(std::move(kept)));
        CHECK(given.error().text() == "channel send: closed: the channel is closed");
        bool thrown = false;
        try {
            co_await c.send(nullptr);
        } catch (const rondo::error& e) {
            thrown = e.fault() == errc::closed;
        }
        CHECK(thrown);
    };
    run(body());
}

TEST_CASE("closing ends who waits: receivers with the end, senders with errc::closed and their element") {
    std::string log;
    auto send_from = [](channel<std::unique_ptr<int>> c, std::unique_ptr<int>& v) -> task<> {
        co_await c.send_from(v);
    };
    auto body = [&]() -> task<> {
        const channel<int> c;
        auto a = rondo::spawn(receive_one(c, log, 'a'), "a");
        auto b = rondo::spawn(receive_one(c, log, 'b'), "b");
        co_await this_job::yield();
        c.close();
        CHECK(log.empty());
        co_await a.join();
        co_await b.join();
        CHECK(log == "a-b-");

        const channel<std::unique_ptr<int>> full(1);
        auto first = std::make_unique<int>(1);
        auto second = std::make_unique<int>(2);
        co_await full.send_from(first);
        CHECK(first == nullptr);
        auto sender = rondo::spawn(send_from(full, second), "sender");
        co_await this_job::yield();
        full.close();
        const auto r = co_await rondo::as_result(sender.join());
        CHECK(r.error() == errc::closed);
        CHECK((second != nullptr && *second == 2));
        const auto left = co_await full.receive();
        CHECK((left.has_value() && **left == 1));
        const auto end = co_await full.receive();
        CHECK_FALSE(end.has_value());
        CHECK_FALSE(full.try_receive().has_value());
    };
    run(body());
}

TEST_CASE("a batch is what is there, at least one and at most as many as asked for") {
    auto batch = [](channel<int> c, std::size_t max) -> task<std::vector<int>> {
        co_return co_await c.receive_many(max);
    };
    auto body = [&]() -> task<> {
        const channel<int> c(4);
        auto waiting = rondo::spawn(batch(c, 3), "batch");
        co_await this_job::yield();
        co_await send_all(c, 1, 4);
        const std::vector<int> first = co_await waiting.join();
        CHECK(first == std::vector{1, 2, 3});
        const std::vector<int> second = co_await c.receive_many(1);
        CHECK(second == std::vector{4});
        co_await send_all(c, 5, 6);
        c.close();
        const std::vector<int> third = co_await c.receive_many(100);
        CHECK(third == std::vector{5, 6});
        const std::vector<int> end = co_await c.receive_many(100);
        CHECK(end.empty());
        bool thrown = false;
        try {
            co_await c.receive_many(0);
        } catch (const rondo::error& e) {
            thrown = e.fault() == errc::invalid_argument;
        }
        CHECK(thrown);
    };
    run(body());
}

TEST_CASE("a batch takes from waiting senders too, in order") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> c;
        auto a = rondo::spawn(send_one(c, log, 1), "a");
        auto b = rondo::spawn(send_one(c, log, 2), "b");
        auto d = rondo::spawn(send_one(c, log, 3), "d");
        co_await this_job::yield();
        const std::vector<int> two = co_await c.receive_many(2);
        CHECK(two == std::vector{1, 2});
        const std::vector<int> rest = co_await c.receive_many(2);
        CHECK(rest == std::vector{3});
        co_await d.join();
        CHECK(log == "123");
        CHECK((a.is_done() && b.is_done()));
    };
    run(body());
}

TEST_CASE("a cancelled wait leaves the line, and its neighbours keep their order") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> c(1);
        auto a = rondo::spawn(receive_one(c, log, 'a'), "a");
        auto b = rondo::spawn(receive_one(c, log, 'b'), "b");
        co_await this_job::yield();
        a.cancel();
        co_await send_all(c, 1, 1);
        co_await b.join();
        CHECK(log == "b1");
        co_await send_all(c, 2, 2);
        auto d = rondo::spawn(send_one(c, log, 3), "d");
        auto e = rondo::spawn(send_one(c, log, 4), "e");
        co_await this_job::yield();
        d.cancel();
        const std::optional<int> first = co_await c.receive();
        CHECK(first == 2);
        const std::optional<int> second = co_await c.receive();
        CHECK(second == 4);
        co_await e.join();
        CHECK(log == "b14");
        const auto cancelled = co_await rondo::as_result(d.join());
        CHECK(cancelled.error() == errc::cancelled);
    };
    run(body());
}

TEST_CASE("an element that was handed over is received in spite of a cancel in the same turn") {
    std::string log;
    auto body = [&]() -> task<> {
        const channel<int> c;
        auto a = rondo::spawn(receive_one(c, log, 'a'), "a");
        co_await this_job::yield();
        CHECK(c.try_send(1));
        a.cancel();
        co_await a.join();
        CHECK(log == "a1");
    };
    run(body());
}

TEST_CASE("the element of a receive that lost a race goes back to the front, or to the next in line") {
    rondo::virtual_clock clock;
    const auto next_waits = GENERATE(false, true);
    std::string log;
    auto lose = [](channel<int> c, rondo::channel<int> other, std::string& said) -> task<> {
        const auto won = co_await rondo::race(other.receive(), c.receive());
        said += "won " + std::to_string(won.index()) + " ";
    };
    auto body = [&]() -> task<> {
        const channel<int> c(1);
        const channel<int> other(1);
        auto loser = rondo::spawn(lose(c, other, log), "loser");
        co_await this_job::yield();
        co_await send_all(other, 0, 0);
        co_await send_all(c, 1, 2);  // the first is in the loser's hand
        std::optional<rondo::join_handle<void>> next;
        if (next_waits) {
            CHECK(c.try_receive() == 2);
            next.emplace(rondo::spawn(receive_one(c, log, 'n'), "next"));
        }
        co_await loser.join();
        if (next_waits) {
            co_await next->join();
            CHECK(log == "won 0 n1");
        } else {
            CHECK(log == "won 0 ");
            CHECK(c.size() == 2);  // one more than its capacity
            CHECK_FALSE(c.try_send(3));
            CHECK(c.try_receive() == 1);
            CHECK(c.try_receive() == 2);
        }
    };
    run(rondo::runtime_options().clock(clock), body());
}

TEST_CASE("every element is received or destroyed once") {
    const auto capacity = GENERATE(std::size_t{0}, std::size_t{2});
    auto send = [](channel<tracked> c, int v) -> task<> { co_await c.send(tracked(v)); };
    auto body = [&]() -> task<> {
        const channel<tracked> c(capacity);
        auto a = rondo::spawn(send(c, 1), "a");
        auto b = rondo::spawn(send(c, 2), "b");
        auto d = rondo::spawn(send(c, 3), "d");
        co_await this_job::yield();
        d.cancel();
        {
            const auto first = co_await c.receive();
            CHECK(first->value == 1);
        }
        c.close();
        static_cast<void>(co_await rondo::as_result(a.join()));
        static_cast<void>(co_await rondo::as_result(b.join()));
        static_cast<void>(co_await rondo::as_result(d.join()));
        CHECK(tracked::alive == (capacity == 0 ? 0 : 1));
    };
    run(body());
    CHECK(tracked::alive == 0);
}

TEST_CASE("elements in the hands of jobs that the end of the run destroys are destroyed once") {
    auto hold = [](channel<tracked> c) -> task<> {
        for (;;) {
            const auto v = co_await c.receive();
            static_cast<void>(v);
        }
    };
    auto body = [&]() -> task<> {
        const channel<tracked> c;
        rondo::spawn(hold(c), "holds").detach();
        co_await this_job::yield();
        CHECK(c.try_send(tracked(1)));
    };
    run(body());
    CHECK(tracked::alive == 0);
}

TEST_CASE("a channel works with what cannot be copied, and outside a run as far as nobody has to wait") {
    const channel<std::unique_ptr<int>> c(1);
    CHECK(c.try_send(std::make_unique<int>(1)));
    auto more = std::make_unique<int>(2);
    CHECK_FALSE(c.try_send(std::move(more)));
    CHECK(more != nullptr);
    const channel<std::unique_ptr<int>> same = c;
    const auto one = same.try_receive();
    CHECK((one.has_value() && **one == 1));
}

TEST_CASE("a million elements that never have to be waited for keep the stack flat and let the others run") {
    constexpr int count = 1'000'000;
    auto body = []() -> task<> {
        const channel<int> c(1);
        long long sum = 0;
        int turns_of_other = 0;
        bool done = false;
        auto other = [&]() -> task<> {
            while (!done) {
                ++turns_of_other;
                co_await this_job::yield();
            }
        };
        auto h = rondo::spawn(other(), "other");
        for (int i = 0; i < count; ++i) {
            co_await c.send(i);
            const std::optional<int> v = co_await c.receive();
            sum += *v;
        }
        done = true;
        CHECK(sum == static_cast<long long>(count) * (count - 1) / 2);
        CHECK(turns_of_other > count / 128);
        co_await h.join();
    };
    run(body());
}

TEST_CASE("a million hand-overs between two jobs keep the stack flat") {
    constexpr int count = 1'000'000;
    auto body = []() -> task<> {
        const channel<int> c;
        auto sender = rondo::spawn(send_all(c, 1, count), "sender");
        long long sum = 0;
        for (int i = 0; i < count; ++i) {
            const std::optional<int> v = co_await c.receive();
            sum += *v;
        }
        co_await sender.join();
        CHECK(sum == static_cast<long long>(count) * (count + 1) / 2);
    };
    run(body());
}

TEST_CASE("a deadlock in channels names the wait") {
    std::string text;
    auto body = []() -> task<> {
        const channel<int> c;
        co_await rondo::when_all(c.receive(), channel<int>().send(1));
    };
    try {
        run(body());
    } catch (const rondo::error& e) {
        CHECK(e.fault() == errc::deadlock);
        text = e.what();
    }
    CHECK(text.find("channel receive") != std::string::npos);
    CHECK(text.find("channel send") != std::string::npos);
}

TEST_CASE("a receive with a timeout takes nothing when it times out") {
    rondo::virtual_clock clock;
    auto body = []() -> task<> {
        const channel<int> c(1);
        const auto r = co_await rondo::as_result(rondo::with_timeout(1s, c.receive()));
        CHECK(r.error() == errc::timed_out);
        co_await c.send(1);
        const auto got = co_await rondo::with_timeout(1s, c.receive());
        CHECK(got == 1);
    };
    run(rondo::runtime_options().clock(clock), body());
}
