// The code of docs/guide/locks.md.
#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/barrier.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/condition_variable.hpp>
#include <rondo/latch.hpp>
#include <rondo/mutex.hpp>
#include <rondo/run.hpp>
#include <rondo/semaphore.hpp>
#include <rondo/shared_mutex.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::run;
using rondo::task;
using namespace std::chrono_literals;

namespace {

task<> save(int) { co_await rondo::this_job::yield(); }

// [broken]
task<> withdraw_broken(int& balance, int amount) {
    if (balance < amount) co_return;
    co_await save(amount);  // other jobs run here, and may withdraw as well
    balance -= amount;
}
// [broken]

// [mutex]
class account {
public:
    explicit account(int balance) : balance_(balance) {}

    task<bool> withdraw(int amount) {
        auto held = co_await mutex_.lock();
        if (balance_ < amount) co_return false;
        co_await save(amount);
        balance_ -= amount;
        co_return true;
    }
    int balance() const { return balance_; }  // no await: no lock

private:
    rondo::mutex mutex_;
    int balance_;
};
// [mutex]

int running = 0;
int most = 0;
task<int> fetch(int n) {
    most = std::max(most, ++running);
    co_await rondo::this_job::yield();
    --running;
    co_return n;
}

// [semaphore]
task<int> fetch_politely(rondo::semaphore& connections, int url) {
    auto permit = co_await connections.acquire();
    const int page = co_await fetch(url);
    co_return page;
}
// [semaphore]

// [split]
task<> download(rondo::semaphore& memory, std::size_t parts) {
    auto all = co_await memory.acquire(parts);  // at once or not at all: no job waits with half of what it needs
    while (all.count() > 0) {
        auto part = all.split(1);
        co_await fetch(1);  // its memory is free where `part` ends
    }
}
// [split]

// [shared]
class prices {
public:
    task<int> total() {
        auto reading = co_await mutex_.lock_shared();
        int sum = 0;
        for (const int p : list_) sum += co_await fetch(p);
        co_return sum;
    }
    task<> reload() {
        auto writing = co_await mutex_.lock();
        list_.clear();
        for (const int p : {1, 2, 3}) {
            const int price = co_await fetch(p);
            list_.push_back(price);
        }
    }

private:
    rondo::shared_mutex mutex_;
    std::vector<int> list_;
};
// [shared]

// [condition]
class mailbox {
public:
    task<> put(std::string letter) {
        auto held = co_await mutex_.lock();
        co_await save(1);
        letters_.push_back(std::move(letter));
        changed_.notify_one();
    }
    task<std::string> take() {
        auto held = co_await mutex_.lock();
        co_await changed_.wait(held, [&] { return !letters_.empty(); });
        std::string letter = std::move(letters_.front());
        letters_.pop_front();
        co_return letter;
    }

private:
    rondo::mutex mutex_;
    rondo::condition_variable changed_;
    std::deque<std::string> letters_;
};
// [condition]

// [barrier]
task<> simulate(rondo::barrier<>& step, int rounds) {
    try {
        for (int i = 0; i < rounds; ++i) {
            co_await fetch(i);
            co_await step.arrive_and_wait();
        }
    } catch (const rondo::cancelled&) {
        step.arrive_and_drop();  // or the others wait for this job for ever
        throw;
    }
    step.arrive_and_drop();
}
// [barrier]

// [timeout]
task<bool> try_for_a_second(rondo::mutex& m) {
    auto held = co_await rondo::as_result(rondo::with_timeout(1s, m.lock()));
    if (!held) co_return false;  // timed out
    co_await save(1);
    co_return true;
}
// [timeout]

}  // namespace

TEST_CASE("guide: two jobs that check, wait and change overdraw an account") {
    int balance = 100;
    auto body = [&]() -> task<> {
        co_await rondo::when_all(withdraw_broken(balance, 80), withdraw_broken(balance, 80));
    };
    run(body());
    CHECK(balance == -60);
}

TEST_CASE("guide: a mutex keeps what was checked true across the wait") {
    auto body = []() -> task<> {
        account a(100);
        const auto [first, second] = co_await rondo::when_all(a.withdraw(80), a.withdraw(80));
        CHECK(first);
        CHECK_FALSE(second);
        CHECK(a.balance() == 20);
    };
    run(body());
}

TEST_CASE("guide: a semaphore bounds, and its permits are split") {
    running = most = 0;
    auto body = []() -> task<> {
        rondo::semaphore connections(2);
        std::vector<task<int>> all;
        for (int i = 0; i < 10; ++i) all.push_back(fetch_politely(connections, i));
        const auto pages = co_await rondo::when_all(std::move(all));
        CHECK(pages.size() == 10);
        CHECK(most == 2);
        rondo::semaphore memory(4);
        co_await rondo::when_all(download(memory, 3), download(memory, 4));
        CHECK(memory.available() == 4);
    };
    run(body());
}

TEST_CASE("guide: readers see all of a change or nothing of it") {
    auto body = []() -> task<> {
        prices p;
        co_await p.reload();
        const auto sums = co_await rondo::when_all(p.total(), p.reload(), p.total());
        CHECK(std::get<0>(sums) == 6);
        CHECK(std::get<2>(sums) == 6);
    };
    run(body());
}

TEST_CASE("guide: a condition_variable waits for a state") {
    auto body = []() -> task<> {
        mailbox m;
        const auto both = co_await rondo::when_all(m.take(), m.put("hello"));
        CHECK(std::get<0>(both) == "hello");
    };
    run(body());
}

TEST_CASE("guide: a latch and a barrier") {
    auto body = []() -> task<> {
        // [latch]
        rondo::latch ready(3);
        auto start = [&](int n) -> task<> {
            co_await fetch(n);
            ready.count_down();
        };
        auto a = rondo::spawn(start(1), "first server");
        auto b = rondo::spawn(start(2), "second server");
        auto c = rondo::spawn(start(3), "third server");
        co_await ready.wait();  // all three have started
        // [latch]
        rondo::barrier step(2);
        co_await rondo::when_all(simulate(step, 2), simulate(step, 3));
    };
    run(body());
}

TEST_CASE("guide: a lock with a timeout") {
    rondo::virtual_clock clock;
    auto body = []() -> task<> {
        rondo::mutex m;
        auto held = co_await m.lock();
        const bool late = co_await try_for_a_second(m);
        CHECK_FALSE(late);
        held.unlock();
        const bool free = co_await try_for_a_second(m);
        CHECK(free);
    };
    run(rondo::runtime_options().clock(clock), body());
}
