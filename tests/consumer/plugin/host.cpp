// Loads the plug-in and awaits its tasks. Values, errors and cancellation cross from one shared object to the other;
// types are the same in both, and there is one runtime, not two.
#include <dlfcn.h>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <rondo/as_result.hpp>
#include <rondo/error.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/spawn.hpp>
#include <rondo/when_all.hpp>
#include <rondo/with_timeout.hpp>

#include "plugin.hpp"

namespace {

using namespace std::chrono_literals;

int failures = 0;
void expect(bool holds, const char* what) {
    if (holds) return;
    ++failures;
    std::fprintf(stderr, "not so: %s\n", what);
}

rondo::task<int> number() {
    co_await rondo::sleep_for(1ms);
    co_return 21;
}

rondo::task<> use(const plugin_functions& plugin) {
    const std::string greeting = co_await plugin.greet("host");
    expect(greeting == "hello host", "a task of the plug-in gives its value after a wait");
    const int twice = co_await plugin.twice(number());
    expect(twice == 42, "the plug-in awaits a task of the host");
    const auto both = co_await rondo::when_all(plugin.greet("a"), number());
    expect(std::get<0>(both) == "hello a" && std::get<1>(both) == 21, "tasks of both run at the same time");
    const int sum = co_await plugin.spawn_and_join();
    expect(sum == 40, "the plug-in spawns jobs and settles promises in the host's run");

    bool caught = false;
    try {
        co_await plugin.fail(0);
    } catch (const rondo::error& e) {
        caught = e.code() == rondo::errc::closed && e.fault().operation() == "plug-in";
    }
    expect(caught, "rondo::error and its category are the same in both");
    caught = false;
    try {
        co_await plugin.fail(1);
    } catch (const std::runtime_error&) {
        caught = true;
    }
    expect(caught, "a standard exception arrives");
    caught = false;
    try {
        co_await plugin.fail(2);
    } catch (const std::exception& e) {
        caught = std::string(e.what()) == "of the plug-in alone";
    }
    expect(caught, "an exception that only the plug-in knows arrives as its base");
    const auto result = co_await rondo::as_result(plugin.fail(0));
    expect(!result && result.error() == rondo::errc::closed, "it becomes a result");

    bool cancelled = false;
    const auto late = co_await rondo::as_result(rondo::with_timeout(5ms, plugin.wait(cancelled)));
    expect(!late && late.error() == rondo::errc::timed_out, "a timeout of the host ends a wait of the plug-in");
    expect(cancelled, "the plug-in sees the cancellation by its type");
    cancelled = false;
    auto job = rondo::spawn(plugin.wait(cancelled), "plug-in");
    co_await rondo::sleep_for(1ms);
    job.cancel();
    const auto ended = co_await rondo::as_result(job.join());
    expect(cancelled && ended.error() == rondo::errc::cancelled, "a job of the plug-in can be cancelled by the host");
}

}  // namespace

int main() {
    void* const object = ::dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
    const auto get = object != nullptr ? reinterpret_cast<get_plugin>(::dlsym(object, "rondo_test_plugin")) : nullptr;
    if (get == nullptr) {
        std::fprintf(stderr, "%s\n", ::dlerror());
        return 1;
    }
    rondo::run(use(*get()));
    return failures == 0 ? 0 : 1;
}
