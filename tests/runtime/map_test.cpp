#include <rondo/map.hpp>

#include <chrono>
#include <iterator>
#include <list>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/event.hpp>
#include <rondo/for_each.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/this_job.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::errc;
using rondo::task;
using namespace std::chrono_literals;

namespace {

template <class F>
void on_virtual_time(F main) {
    rondo::virtual_clock clock;
    rondo::run(rondo::runtime_options().clock(clock), main());
}

/// Counts how many are at work at once.
struct gauge {
    int now = 0;
    int most = 0;
    int started = 0;

    task<int> work(int n) {
        ++started;
        most = ++now > most ? now : most;
        co_await rondo::sleep_for(std::chrono::milliseconds(10 + n * 7 % 13));
        --now;
        co_return n* n;
    }
};

/// 0, 1, 2, … without an end.
struct endless {
    struct iterator {
        using iterator_category = std::input_iterator_tag;
        using value_type = int;
        using difference_type = std::ptrdiff_t;
        using pointer = const int*;
        using reference = int;
        int n = 0;
        int operator*() const { return n; }
        iterator& operator++() { return ++n, *this; }
        bool operator==(const iterator&) const { return false; }
    };
    iterator begin() const { return {}; }
    iterator end() const { return {}; }
};

}  // namespace

TEST_CASE("map gives the results in the order of the elements, with at most so many at work at once") {
    on_virtual_time([]() -> task<> {
        const std::vector<int> numbers{5, 4, 3, 2, 1, 0, 9, 8, 7, 6};
        for (const std::size_t limit : {1U, 4U, 10U, 1000U}) {
            gauge g;
            const std::vector<int> squares = co_await rondo::map(numbers, limit, [&](int n) { return g.work(n); });
            CHECK(squares == std::vector{25, 16, 9, 4, 1, 0, 81, 64, 49, 36});
            CHECK(g.most == static_cast<int>(std::min<std::size_t>(limit, 10)));
        }
    });
}

TEST_CASE("an empty range gives nothing, and a limit of 0 is refused") {
    rondo::run([]() -> task<> {
        const std::vector<int> none;
        gauge g;
        const std::vector<int> result = co_await rondo::map(none, 3, [&](int n) { return g.work(n); });
        CHECK(result.empty());
        const auto r = co_await rondo::as_result(rondo::map(none, 0, [&](int n) { return g.work(n); }));
        CHECK(r.error().code() == rondo::make_error_code(errc::invalid_argument));
        CHECK(r.error().text().find("limit of 0") != std::string::npos);
        CHECK(g.started == 0);
    }());
}

TEST_CASE("siblings run on while one of them waits for what they do: no deadlock at the limit") {
    on_virtual_time([]() -> task<> {
        // The first does not end before the last has begun.
        rondo::event last_began;
        std::vector<int> numbers(20);
        for (int i = 0; i < 20; ++i) numbers[static_cast<std::size_t>(i)] = i;
        int ended = 0;
        co_await rondo::for_each(numbers, 4, [&](int n) -> task<> {
            if (n == 19) last_began.set();
            if (n == 0) co_await last_began.wait();
            else co_await rondo::sleep_for(1ms);
            ++ended;
        });
        CHECK(ended == 20);
    });
}

TEST_CASE("elements are pulled only when there is room, so a range may be endless") {
    on_virtual_time([]() -> task<> {
        int pulled = 0;
        const auto r = co_await rondo::as_result(rondo::for_each(endless(), 3, [&](int n) -> task<> {
            pulled = n + 1;
            co_await rondo::sleep_for(1ms);
            if (n == 10) throw std::runtime_error("enough");
        }));
        CHECK(r.error().text().find("enough") != std::string::npos);
        CHECK(pulled <= 13);
    });
}

TEST_CASE("the first failure cancels what is at work and starts nothing more") {
    on_virtual_time([]() -> task<> {
        int cancelled = 0;
        int started = 0;
        const std::vector<int> numbers(100, 1);
        const auto r = co_await rondo::as_result(rondo::for_each(numbers, 5, [&](int) -> task<> {
            const int me = ++started;
            if (me == 3) {
                co_await rondo::sleep_for(1ms);
                throw std::runtime_error("third");
            }
            try {
                co_await rondo::sleep_for(1h);
            } catch (const rondo::cancelled&) {
                ++cancelled;
                throw;
            }
        }));
        CHECK(r.error().text().find("third") != std::string::npos);
        CHECK(started == 5);
        CHECK(cancelled == 4);
    });
}

TEST_CASE("a deadline ends it, and what was at work with it") {
    on_virtual_time([]() -> task<> {
        gauge g;
        const std::vector<int> numbers(100, 1);
        const auto r = co_await rondo::as_result(
            rondo::with_timeout(25ms, rondo::map(numbers, 2, [&](int n) { return g.work(n); })));
        CHECK(r.error().code() == rondo::make_error_code(errc::timed_out));
        CHECK(g.started == 4);
    });
}

TEST_CASE("elements that complete at once settle it once, a hundred thousand on a flat stack") {
    rondo::run([]() -> task<> {
        std::vector<int> numbers(100'000, 1);
        int sum = 0;
        for (const std::size_t limit : {1U, 7U}) {
            co_await rondo::for_each(numbers, limit, [&](int n) -> task<> {
                sum += n;
                co_return;
            });
        }
        CHECK(sum == 200'000);
    }());
}

TEST_CASE("elements are moved out of a range of move-only ones, changed in place, or read from a stream") {
    rondo::run([]() -> task<> {
        std::vector<std::unique_ptr<int>> owned;
        for (int i = 0; i < 3; ++i) owned.push_back(std::make_unique<int>(i));
        const std::vector<std::unique_ptr<int>> doubled =
            co_await rondo::map(std::move(owned), 2, [](std::unique_ptr<int>& p) -> task<std::unique_ptr<int>> {
                auto mine = std::move(p);
                co_await rondo::this_job::yield();
                *mine *= 2;
                co_return std::move(mine);
            });
        CHECK(*doubled[2] == 4);

        std::list<std::string> words{"a", "b", "c"};
        co_await rondo::for_each(words, 2, [](std::string& w) -> task<> {
            co_await rondo::this_job::yield();
            w += w;
        });
        CHECK(words.back() == "cc");

        std::istringstream in("one two three four");
        class stream_range {
        public:
            explicit stream_range(std::istringstream& in) : in_(&in) {}
            auto begin() const { return std::istream_iterator<std::string>(*in_); }
            auto end() const { return std::istream_iterator<std::string>(); }

        private:
            std::istringstream* in_;
        };
        std::vector<std::string> seen;
        co_await rondo::for_each(stream_range(in), 3, [&](const std::string& w) -> task<> {
            co_await rondo::this_job::yield();
            seen.push_back(w);
        });
        CHECK(seen == std::vector<std::string>{"one", "two", "three", "four"});
    }());
}
