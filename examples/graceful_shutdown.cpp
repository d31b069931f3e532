// Ctrl-C ends a program in order: the main task is cancelled, cleans up, and says what it still did.
#include <chrono>
#include <csignal>
#include <iostream>
#include <string_view>

#include <rondo/cancelled.hpp>
#include <rondo/error.hpp>
#include <rondo/finally.hpp>
#include <rondo/interval.hpp>
#include <rondo/run.hpp>
#include <rondo/scope.hpp>
#include <rondo/sleep.hpp>

using namespace std::chrono_literals;

namespace {

rondo::task<> serve_one(int& served) {
    rondo::interval every(20ms);
    for (;;) {
        co_await every.tick();
        ++served;
    }
}

rondo::task<> flush_logs() {
    co_await rondo::sleep_for(10ms);  // shielded: a second Ctrl-C would cut it short
    std::cout << "logs are flushed\n" << std::flush;
}

rondo::task<> serve() {
    int served = 0;
    auto work = rondo::with_scope([&](rondo::scope& s) -> rondo::task<> {
        for (int i = 0; i < 3; ++i) s.spawn(serve_one(served), "serve_one");
        std::cout << "serving; press Ctrl-C\n" << std::flush;
        co_return;
    });
    co_await rondo::finally(std::move(work), flush_logs());
}

}  // namespace

int main() {
    // [stop]
    try {
        rondo::run(rondo::runtime_options().stop_on(SIGINT, SIGTERM).grace(2s), serve());
    } catch (const rondo::error& e) {
        std::cout << e.what() << '\n';  // the main task: cancelled: stopped by SIGINT
        return e.code() == rondo::errc::cancelled ? 130 : 1;
    }
    // [stop]
}
