// The jobs that the tests of the client spawn, and what they say to the server.
#pragma once

#include <optional>
#include <string>

#include <rondo/as_result.hpp>
#include <rondo/redis/client.hpp>
#include <rondo/spawn.hpp>
#include <rondo/task.hpp>
#include <rondo/this_job.hpp>

#include "script_server.hpp"
#include "support/catch.hpp"

namespace redis_test {

using text = std::optional<std::string>;

inline rondo::task<text> get(rondo::redis::client db, std::string key) {
    co_return co_await db(rondo::redis::get(key));
}
inline rondo::task<rondo::result<text>> try_get(rondo::redis::client db, std::string key) {
    co_return co_await rondo::as_result(db(rondo::redis::get(key)));
}
inline rondo::task<rondo::result<rondo::redis::popped>> try_blpop(rondo::redis::client db, std::string key) {
    co_return co_await rondo::as_result(db(rondo::redis::blpop(key, rondo::redis::forever)));
}
inline rondo::task<rondo::result<rondo::redis::client>> try_connect(rondo::redis::options o) {
    co_return co_await rondo::as_result(rondo::redis::connect(o));
}

inline std::string get_bytes(const std::string& key) { return bytes_of(rondo::redis::get(key)); }
inline std::string bulk(const std::string& s) { return "$" + std::to_string(s.size()) + "\r\n" + s + "\r\n"; }

/// Every job that is ready has its turn, and what it wrote is on its way.
inline rondo::task<void> let_others_run() {
    for (int i = 0; i < 10; ++i) co_await rondo::this_job::yield();
}

/// The connection is in step: an echo comes back as itself.
inline rondo::task<void> check_in_step(rondo::redis::client db, script_peer& peer) {
    auto echo = rondo::spawn(get(db, "echo"));
    co_await peer.expect(get_bytes("echo"));
    co_await peer.send("$4\r\nstep\r\n");
    const text answer = co_await echo.join();
    CHECK(answer == "step");
}

}  // namespace redis_test
