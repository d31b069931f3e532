#include "report.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace demo {

namespace {

// One row of the table; an empty cell is a figure that nobody gave.
struct row {
    std::string label, wall, cpu, processes, threads, memory, order;
};

void append(std::string& out, const row& r) {
    const auto cell = [](const std::string& s) { return s.empty() ? std::string_view("-") : std::string_view(s); };
    fmt::format_to(std::back_inserter(out), "{:<24} {:>8} {:>7} {:>5} {:>7} {:>11}  {}\n", r.label, cell(r.wall),
                   cell(r.cpu), cell(r.processes), cell(r.threads), cell(r.memory), cell(r.order));
}

std::string number(std::size_t n) { return n == 0 ? std::string() : fmt::format("{}", n); }

// Rounded up to what is shown: a figure over its target never looks like the target.
std::string mebibytes(std::size_t kib) {
    if (kib == 0) return {};
    const std::size_t hundredths = (kib * 100 + 1023) / 1024;
    return fmt::format("{}.{:02} MiB", hundredths / 100, hundredths % 100);
}

struct targets {
    duration cpu;
    std::size_t memory_kib, threads;
};

targets targets_of(const flags& f) {
    using namespace std::chrono_literals;
    const bool timers_alone = f.parts.size() == 1 && f.has(part::timers);
    const std::size_t pool = f.blocking ? board::waits_per_part : 0;
    return timers_alone ? targets{10ms, 4096, 1 + pool} : targets{30ms, 8192, 1 + pool};
}

void append_parts(std::string& out, const board& b, const limits& l) {
    for (const part p : b.parts()) {
        const duration grain = l.grain_of(p);
        const bool exact = in_order(b, p, duration(0));
        const std::string of_server = fmt::format("server's grain of {:g} ms", seconds(grain) * 1e3);
        const std::string order = exact                   ? "in order"
                                  : in_order(b, p, grain) ? "in order within the " + of_server
                                                          : "WRONG ORDER";
        fmt::format_to(std::back_inserter(out), "{:<6}  {:<20}  {}, latest {:+.1f} ms", name(p), order_of(b, p), order,
                       seconds(latest(b, p)) * 1e3);
        if (exact && grain > duration(0)) out += ", " + of_server;
        out += '\n';
    }
}

const char* verdict_on_order(const board& b, const limits& l) {
    const auto all = [&](auto grain_of) {
        return std::all_of(b.parts().begin(), b.parts().end(), [&](part p) { return in_order(b, p, grain_of(p)); });
    };
    if (all([](part) { return duration(0); })) return "verified";
    return all([&](part p) { return l.grain_of(p); }) ? "within grain" : "WRONG";
}

void append_overdrafts(std::string& out, const costs& c, const targets& t) {
    const auto note = [&](bool over, const char* what) {
        if (over) fmt::format_to(std::back_inserter(out), "Over its target: {}.\n", what);
    };
    note(c.cpu > t.cpu, "CPU time");
    note(c.memory_kib > t.memory_kib, "peak RSS");
    note(c.threads > t.threads, "threads");
    note(c.processes > 1, "processes");
}

}  // namespace

std::string report(const board& b, const costs& c, const limits& l, const flags& f) {
    const targets t = targets_of(f);
    std::string out = "\n";
    append_parts(out, b, l);
    out += '\n';
    append(out, {" ", "wall s", "CPU s", "procs", "threads", "peak RSS", "order"});
    append(out, {"rondo, this run", fmt::format("{:.3f}", seconds(b.wall())), fmt::format("{:.4f}", seconds(c.cpu)),
                 number(c.processes), number(c.threads), mebibytes(c.memory_kib), verdict_on_order(b, l)});
    append(out, {"  target", fmt::format("<={:.3f}", seconds(l.wall)), fmt::format("<={:.3f}", seconds(t.cpu)), "1",
                 number(t.threads), "<=" + mebibytes(t.memory_kib), "completion"});
    append(out, {"  CPU before main", "", fmt::format("{:.4f}", seconds(c.cpu_before_main)), "", "", "", ""});
    append(out, {"PHPThread published", "10.044", "10.184", "", "", "", "completion"});
    append(out, {"PHPThread measured by us", "10.251", "11.540", "22", "", "154 MiB sum", "completion"});
    append(out, {"ReactPHP published", "55.038", "", "", "", "", "creation"});
    append(out, {"Guzzle published", "55.035", "", "", "", "", "creation"});
    append_overdrafts(out, c, t);
    out += "PHPThread's CPU: user 6.857 s + sys 3.327 s. Theirs are ten timers, no more.\n";
    if (f.scale != 1)
        fmt::format_to(std::back_inserter(out), "This run is scaled by {:g}, the rows of others are not.\n", f.scale);
    if (f.has(part::redis) && f.redis_url.empty()) out += "The child process redis-server is not counted.\n";
    if (!l.judge_time) out += "The time was not judged (--no-time-check).\n";
    return out;
}

}  // namespace demo
