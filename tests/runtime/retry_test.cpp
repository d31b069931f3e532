#include <rondo/retry.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <rondo/as_result.hpp>
#include <rondo/run.hpp>
#include <rondo/spawn.hpp>
#include <rondo/virtual_clock.hpp>
#include <rondo/with_timeout.hpp>

#include "support/catch.hpp"

using rondo::duration;
using rondo::errc;
using rondo::retry_policy;
using rondo::task;
using namespace std::chrono_literals;

namespace {

/// Fails until its last attempt, and notes when each was made.
struct flaky {
    explicit flaky(rondo::virtual_clock& c, int times = 0) : clock(c), fails(times) {}

    rondo::virtual_clock& clock;
    int fails;
    std::vector<std::int64_t> at_ms{};
    std::int64_t start = clock.ns();

    task<int> operator()() {
        at_ms.push_back((clock.ns() - start) / 1'000'000);
        if (static_cast<int>(at_ms.size()) <= fails)
            throw rondo::error(rondo::fault(errc::closed, "fetch").detail("no luck"));
        co_return static_cast<int>(at_ms.size());
    }
};

template <class F>
void on_virtual_time(F main) {
    rondo::virtual_clock clock;
    rondo::run(rondo::runtime_options().clock(clock), main(clock));
}

}  // namespace

TEST_CASE("what succeeds the first time is tried once") {
    on_virtual_time([](rondo::virtual_clock& clock) -> task<> {
        flaky f(clock);
        const int n = co_await rondo::retry(retry_policy(), f);
        CHECK(n == 1);
        CHECK(f.at_ms == std::vector<std::int64_t>{0});
    });
}

TEST_CASE("without jitter the waits grow by the factor up to the most") {
    on_virtual_time([](rondo::virtual_clock& clock) -> task<> {
        flaky f(clock, 5);
        const int n = co_await rondo::retry(retry_policy().attempts(6).backoff(100ms, 3, 1s).no_jitter(), f);
        CHECK(n == 6);
        CHECK(f.at_ms == std::vector<std::int64_t>{0, 100, 400, 1300, 2300, 3300});
    });
}

TEST_CASE("jitter waits between nothing and the whole backoff, the same for the same seed") {
    std::vector<duration> first;
    std::vector<duration> second;
    retry_policy a = retry_policy().backoff(100ms, 2, 10s).seed(7);
    retry_policy b = retry_policy().backoff(100ms, 2, 10s).seed(7);
    duration sum{};
    for (unsigned i = 0; i < 1000; ++i) {
        const duration d = a.next_delay(3);
        REQUIRE(d >= 0ms);
        REQUIRE(d <= 400ms);
        first.push_back(d);
        second.push_back(b.next_delay(3));
        sum += d;
    }
    CHECK(first == second);
    CHECK(sum > 150s);  // of 200 s on average
    CHECK(sum < 250s);
}

TEST_CASE("the last failure is thrown unchanged but for the count of the attempts") {
    on_virtual_time([](rondo::virtual_clock& clock) -> task<> {
        flaky f(clock, 100);
        const auto r = co_await rondo::as_result(rondo::retry(retry_policy().attempts(4), f));
        CHECK(f.at_ms.size() == 4);
        CHECK(r.error().code() == rondo::make_error_code(errc::closed));
        CHECK(r.error().operation() == "fetch");
        CHECK(r.error().detail() == "no luck; attempt 4 of 4");
    });
}

TEST_CASE("a foreign exception is thrown as it is") {
    on_virtual_time([](rondo::virtual_clock&) -> task<> {
        std::string what;
        try {
            co_await rondo::retry(retry_policy().attempts(2), [](unsigned attempt) -> task<> {
                throw std::runtime_error("attempt " + std::to_string(attempt));
                co_return;
            });
        } catch (const std::runtime_error& e) {
            what = e.what();
        }
        CHECK(what == "attempt 2");
    });
}

TEST_CASE("whoever is asked may say no, or how long to wait") {
    on_virtual_time([](rondo::virtual_clock& clock) -> task<> {
        flaky refused(clock, 100);
        const auto no = [](const rondo::fault& f) { return f.code() != rondo::make_error_code(errc::closed); };
        const auto r = co_await rondo::as_result(rondo::retry(retry_policy().attempts(9), refused, no));
        CHECK(r.error().detail() == "no luck; attempt 1 of 9");
        CHECK(refused.at_ms.size() == 1);

        flaky told(clock, 2);
        const auto after = [](const rondo::fault&) { return std::optional<duration>(7s); };
        const int n = co_await rondo::retry(retry_policy(), told, after);
        CHECK(n == 3);
        CHECK(told.at_ms == std::vector<std::int64_t>{0, 7000, 14000});
    });
}

TEST_CASE("it gives up at once when the deadline would come first") {
    on_virtual_time([](rondo::virtual_clock& clock) -> task<> {
        flaky f(clock, 100);
        auto policy = retry_policy().attempts(100).backoff(1s, 1, 1s).no_jitter();
        const auto r = co_await rondo::as_result(rondo::with_timeout(3500ms, rondo::retry(policy, f)));
        CHECK(r.error().code() == rondo::make_error_code(errc::closed));
        CHECK(r.error().detail().find("attempt 4 of 100, the next would come after the deadline") != std::string::npos);
        CHECK(f.at_ms == std::vector<std::int64_t>{0, 1000, 2000, 3000});
    });
}

TEST_CASE("a cancellation ends it between two attempts, and within one") {
    on_virtual_time([](rondo::virtual_clock& clock) -> task<> {
        flaky f(clock, 100);
        auto between = [](flaky& all) -> task<> {
            co_await rondo::retry(retry_policy().attempts(100).backoff(1h, 1, 1h).no_jitter(), all);
        };
        auto h = rondo::spawn(between(f));
        co_await rondo::sleep_for(1s);
        h.cancel();
        const auto r = co_await rondo::as_result(h.join());
        CHECK(r.error().code() == rondo::make_error_code(errc::cancelled));
        CHECK(f.at_ms.size() == 1);

        int attempts = 0;
        auto within = [](int& n) -> task<> {
            co_await rondo::retry(retry_policy(), [&n]() -> task<> {
                ++n;
                co_await rondo::sleep_for(1h);
            });
        };
        auto h2 = rondo::spawn(within(attempts));
        co_await rondo::sleep_for(1s);
        h2.cancel();
        static_cast<void>(co_await rondo::as_result(h2.join()));
        CHECK(attempts == 1);
    });
}

TEST_CASE("a policy that makes no sense is refused") {
    const auto code = [](auto f) {
        try {
            f();
        } catch (const rondo::error& e) {
            return e.code();
        }
        return std::error_code();
    };
    const auto invalid = rondo::make_error_code(errc::invalid_argument);
    CHECK(code([] { retry_policy().attempts(0); }) == invalid);
    CHECK(code([] { retry_policy().backoff(-1ms, 2, 1s); }) == invalid);
    CHECK(code([] { retry_policy().backoff(1ms, 0.5, 1s); }) == invalid);
    CHECK(code([] { retry_policy().backoff(1ms, 2, -1s); }) == invalid);
}
