// The main job of rondo: thirty waits of one to ten seconds, at the same time, on one thread.
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <rondo/race.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>
#include <rondo/when_all.hpp>

#include "bars.hpp"
#include "board.hpp"
#include "figures.hpp"
#include "flags.hpp"
#include "http_part.hpp"
#include "last_rites.hpp"
#include "plain_lines.hpp"
#include "redis_child.hpp"
#include "redis_part.hpp"
#include "report.hpp"
#include "terminal.hpp"
#include "timers_part.hpp"
#include "verdict.hpp"

namespace demo {

namespace {

using namespace std::chrono_literals;
using rondo::task;

// Ten frames a second, until it is cancelled.
task<> keep_drawing(bars& b) {
    for (;;) {
        b.draw();
        co_await rondo::sleep_for(100ms);
    }
}

// All waits at the same time; returns when the last has settled.
task<> settle_all(board& b, const flags& f, redis_part* redis, http_part* http) {
    std::vector<task<>> parts;
    b.begin();
    if (f.has(part::timers)) parts.push_back(timers_part(b, f.blocking));
    if (redis != nullptr) parts.push_back(redis->settle(b));
    if (http != nullptr) parts.push_back(http->settle(b));
    co_await rondo::when_all(std::move(parts));
}

task<> settle_all_with_bars(terminal t, board& b, const flags& f, redis_part* redis, http_part* http) {
    bars live(t, b);
    b.observe(live);
    co_await rondo::race(settle_all(b, f, redis, http), keep_drawing(live));
}

limits limits_of(const board& b, const flags& f, const redis_part* redis) {
    limits l;
    if (redis != nullptr) l.grain[static_cast<std::size_t>(part::redis)] = redis->grain();
    l.wall = limits::wall_limit(b, l.grain);
    l.judge_time = f.time_check;
    return l;
}

// Gives the complaints.
task<std::vector<std::string>> play(const flags& f, figures& seen) {
    const terminal out(STDOUT_FILENO);
    std::optional<redis_child> server;
    std::optional<redis_part> redis;
    std::optional<http_part> http;
    if (f.has(part::redis)) {
        std::string url = f.redis_url;
        if (url.empty()) {
            server.emplace();
            seen.put_aside(server->pid());
            url = server->url();
        }
        redis.emplace(co_await redis_part::connect(std::move(url)));
    }
    if (f.has(part::http)) {
        http.emplace(f.http_url);
        co_await http->see_it_answer();
    }

    board b(f.parts, f.scale);
    b.observe(seen);
    plain_lines lines(out);
    if (f.plain || !out.can_draw()) {
        b.observe(lines);
        co_await settle_all(b, f, redis ? &*redis : nullptr, http ? &*http : nullptr);
    } else {
        co_await settle_all_with_bars(out, b, f, redis ? &*redis : nullptr, http ? &*http : nullptr);
    }

    const limits l = limits_of(b, f, redis ? &*redis : nullptr);
    if (http) co_await http->close();
    redis.reset();
    server.reset();
    const costs c{seen.cpu_from_main(), seen.cpu_before_main(), seen.most_processes(), seen.most_threads(),
                  peak_memory_kib()};
    out.write(report(b, c, l, f));
    co_return complaints(b, l);
}

int complain(const std::string& what, int status) {
    terminal(STDERR_FILENO).write(fmt::format("rondo demo: {}\n", what));
    return status;
}

int run(const flags& f, duration cpu_at_main) {
    last_rites::install();
    figures seen(cpu_at_main);
    int status = 0;
    for (const std::string& complaint : rondo::run(play(f, seen))) status = complain(complaint, 1);
    return status;
}

}  // namespace

}  // namespace demo

int main(int argc, char* argv[]) {
    const demo::duration cpu_at_main = demo::process_cpu();
    demo::keep_standard_descriptors();
    try {
        const demo::flags f = demo::parse_flags(argc, argv);
        int status = 0;
        if (f.help) demo::terminal(STDOUT_FILENO).write(demo::usage);
        else status = demo::run(f, cpu_at_main);
        const int lost = demo::terminal::lost_output();
        if (lost == 0) return status;
        return demo::complain("cannot write the output: " + std::generic_category().message(lost), 1);
    } catch (const demo::flag_error& e) {
        return demo::complain(fmt::format("{}; --help lists the flags", e.what()), 2);
    } catch (const std::exception& e) {
        return demo::complain(e.what(), 1);
    }
}
