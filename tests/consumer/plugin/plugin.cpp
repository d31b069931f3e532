// Coroutines of another shared object: made here, awaited by the host.
#include "plugin.hpp"

#include <chrono>
#include <stdexcept>

#include <rondo/error.hpp>
#include <rondo/promise.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/this_job.hpp>

namespace {

using namespace std::chrono_literals;

class own_failure : public std::exception {
public:
    const char* what() const noexcept override { return "of the plug-in alone"; }
};

rondo::task<std::string> greet(std::string who) {
    co_await rondo::sleep_for(1ms);
    co_return "hello " + who;
}

rondo::task<int> twice(rondo::task<int> of_the_host) {
    const int n = co_await std::move(of_the_host);
    co_return 2 * n;
}

rondo::task<int> fail(int how) {
    co_await rondo::this_job::yield();
    if (how == 0) throw rondo::error(rondo::errc::closed, "plug-in");
    if (how == 1) throw std::runtime_error("plain");
    throw own_failure();
}

rondo::task<> wait(bool& was_cancelled) {
    try {
        co_await rondo::sleep_for(1h);
    } catch (const rondo::cancelled&) {
        was_cancelled = true;
        throw;
    }
}

rondo::task<int> number() { co_return 20; }

rondo::task<int> spawn_and_join() {
    auto job = rondo::spawn(number(), "number");
    const int n = co_await job.join();
    const int m = co_await rondo::promise<int>::from(number());
    co_return n + m;
}

const plugin_functions functions = {&greet, &twice, &fail, &wait, &spawn_and_join};

}  // namespace

extern "C" __attribute__((visibility("default"))) const plugin_functions* rondo_test_plugin() { return &functions; }
