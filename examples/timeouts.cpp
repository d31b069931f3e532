// Deadlines around anything: they nest, the earliest wins, and the error says which one it was and where it was set.
#include <chrono>
#include <iostream>
#include <string>

#include <rondo/as_result.hpp>
#include <rondo/error.hpp>
#include <rondo/finally.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/this_job.hpp>
#include <rondo/with_timeout.hpp>

using namespace std::chrono_literals;

namespace {

rondo::task<std::string> answer(std::chrono::milliseconds after) {
    co_await rondo::sleep_for(after);
    co_return "an answer";
}

rondo::task<> say_goodbye() {
    co_await rondo::sleep_for(1ms);  // may wait, although the job is cancelled
    std::cout << "  said goodbye\n";
}

rondo::task<std::string> two_questions() {
    const std::string first = co_await rondo::with_timeout(1s, answer(10ms));
    co_return first + ", " + co_await rondo::with_timeout(30ms, answer(1h));
}

void show(const char* what, const rondo::result<std::string>& r) {
    std::cout << what << ": " << (r ? *r : r.error().text()) << '\n';
}

rondo::task<> use_deadlines() {
    // [one]
    const std::string in_time = co_await rondo::with_timeout(1s, answer(10ms));
    // [one]
    std::cout << "in time: " << in_time << '\n';

    // [result]
    const auto late = co_await rondo::as_result(rondo::with_timeout(20ms, answer(1h)));
    if (!late && late.error().code() == rondo::errc::timed_out) std::cout << "no answer in time\n";
    // [result]
    show("too late", late);

    // The inner one comes first: the error names it, and not the two seconds around it.
    show("nested", co_await rondo::as_result(rondo::with_timeout(2s, two_questions())));

    // Cleaning up may wait as well, however the work ended.
    std::cout << "with a clean-up:\n";
    show("  then", co_await rondo::as_result(rondo::with_timeout(20ms, rondo::finally(answer(1h), say_goodbye()))));

    auto asks = []() -> rondo::task<std::string> {
        const auto deadline = rondo::this_job::deadline();
        co_return deadline ? "there is a deadline" : "there is none";
    };
    show("asked", co_await rondo::as_result(rondo::with_timeout(1s, asks())));
}

}  // namespace

int main() { rondo::run(use_deadlines()); }
