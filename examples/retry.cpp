// Trying again: with growing waits, within a deadline, and only where it makes sense.
#include <chrono>
#include <iostream>
#include <string>

#include <rondo/as_result.hpp>
#include <rondo/error.hpp>
#include <rondo/retry.hpp>
#include <rondo/run.hpp>
#include <rondo/with_timeout.hpp>

using namespace std::chrono_literals;

namespace {

/// A server that is busy at first.
class server {
public:
    explicit server(unsigned busy_for) : busy_for_(busy_for) {}
    rondo::task<std::string> ask(unsigned attempt) {
        std::cout << "  attempt " << attempt << '\n';
        co_await rondo::sleep_for(1ms);
        if (attempt <= busy_for_)
            throw rondo::error(rondo::fault(rondo::errc::closed, "ask").detail("come back later"));
        co_return "welcome";
    }

private:
    unsigned busy_for_;
};

rondo::task<> use_retries() {
    // [policy]
    const auto policy = rondo::retry_policy().attempts(4).backoff(5ms, 2.0, 100ms);
    server friendly(2);
    const std::string answer = co_await rondo::retry(policy, [&](unsigned attempt) { return friendly.ask(attempt); });
    // [policy]
    std::cout << answer << '\n';

    server closed(1000);
    const auto ask_closed = [&](unsigned attempt) { return closed.ask(attempt); };
    const auto failed = co_await rondo::as_result(rondo::retry(policy, ask_closed));
    std::cout << failed.error().text() << '\n';

    // [again]
    const auto only_timeouts = [](const rondo::fault& f) { return f.code() == rondo::errc::timed_out; };
    const auto refused = co_await rondo::as_result(rondo::retry(policy, ask_closed, only_timeouts));
    // [again]
    std::cout << refused.error().text() << '\n';

    // With a deadline around it, it does not wait for an attempt that would come too late.
    const auto slow = rondo::retry_policy().attempts(9).backoff(1h, 1.0, 1h).no_jitter();
    const auto late = co_await rondo::as_result(rondo::with_timeout(1s, rondo::retry(slow, ask_closed)));
    std::cout << late.error().text() << '\n';
}

}  // namespace

int main() { rondo::run(use_retries()); }
