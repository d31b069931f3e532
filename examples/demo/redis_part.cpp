#include "redis_part.hpp"

#include <charconv>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <rondo/as_result.hpp>
#include <rondo/redis/commands.hpp>
#include <rondo/when_all.hpp>

namespace demo {

namespace {

namespace redis = rondo::redis;
using rondo::task;
using settings = std::map<std::string, std::string>;

// A server that does not tell (CONFIG may be forbidden) has the default, unless it is a rare one.
constexpr int default_hz = 10;

int hz_of(const rondo::result<settings>& answer) {
    int hz = 0;
    if (answer)
        if (const auto found = answer->find("hz"); found != answer->end())
            std::from_chars(found->second.data(), found->second.data() + found->second.size(), hz);
    return hz > 0 ? hz : default_hz;
}

// Nobody pushes to it.
std::string key_of(int number) { return fmt::format("rondo:demo:{}:{}", ::getpid(), number); }

task<> settle_one(redis::client db, board& b, wait& w) {
    const std::string key = key_of(w.number());
    const rondo::result<redis::popped> r = co_await rondo::as_result(db(redis::blpop(key, w.promised())));
    if (!r) b.reject(w, r.error().text());
    else if (*r) b.reject(w, fmt::format("somebody pushed to {}", key));
    else b.fulfil(w);
}

// Each blocking command has a connection of its own, which is kept for the next one.
task<> open_connections(redis::client db) {
    std::vector<task<>> waits;
    const auto shortest = [](redis::client c, int number) -> task<> {
        co_await c(redis::blpop(key_of(number), std::chrono::milliseconds(1)));
    };
    for (int n = 1; n <= board::waits_per_part; ++n) waits.push_back(shortest(db, n));
    co_await rondo::when_all(std::move(waits));
}

}  // namespace

task<redis_part> redis_part::connect(std::string url) {
    redis::client db = co_await redis::connect(url);
    const rondo::result<settings> answer =
        co_await rondo::as_result(db(redis::command<settings>("CONFIG", "GET", "hz")));
    co_await open_connections(db);
    const duration grain = std::chrono::nanoseconds(std::chrono::seconds(1)) / hz_of(answer);
    co_return redis_part(std::move(db), grain);
}

task<> redis_part::settle(board& b) {
    std::vector<task<>> waits;
    for (wait& w : b.of(part::redis)) waits.push_back(settle_one(db_, b, w));
    co_await rondo::when_all(std::move(waits));
}

}  // namespace demo
