#include "demo/report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <string>

#include "support/catch.hpp"

using demo::board;
using demo::part;
using namespace std::chrono_literals;

namespace {

demo::time_point hand_clock_now;
demo::time_point hand_clock() { return hand_clock_now; }

std::string line_with(const std::string& text, const std::string& start) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(start)) return line;
    return "no line starts with " + start;
}

std::string words(const std::string& line) {
    std::istringstream in(line);
    std::string out;
    for (std::string word; in >> word;) out += (out.empty() ? "" : " ") + word;
    return out;
}

struct finished_run {
    explicit finished_run(demo::flags given) : f(std::move(given)), b(f.parts, f.scale, &hand_clock) {
        b.begin();
        for (int n = 10; n >= 1; --n)
            for (const part p : b.parts()) {
                demo::wait& w = b.of(p)[static_cast<std::size_t>(n - 1)];
                hand_clock_now = b.began() + w.promised() + 3ms;
                b.fulfil(w);
            }
        l.grain[1] = 2ms;
        l.wall = demo::limits::wall_limit(b, l.grain);
        c = {9ms, 2ms, 1, 1, 3 * 1024 + 1};
    }
    std::string report() const { return demo::report(b, c, l, f); }

    demo::flags f;
    board b;
    demo::limits l;
    demo::costs c;
};

}  // namespace

TEST_CASE("the report shows this run with its targets beside the published and the measured rows") {
    const std::string text = finished_run({}).report();
    CHECK(words(line_with(text, "rondo, this run")) == "rondo, this run 10.003 0.0090 1 1 3.01 MiB verified");
    CHECK(words(line_with(text, "  target")) == "target <=10.050 <=0.030 1 1 <=8.00 MiB completion");
    CHECK(words(line_with(text, "  CPU before main")) == "CPU before main - 0.0020 - - - -");
    CHECK(words(line_with(text, "PHPThread published")) == "PHPThread published 10.044 10.184 - - - completion");
    CHECK(words(line_with(text, "PHPThread measured by us")) ==
          "PHPThread measured by us 10.251 11.540 22 - 154 MiB sum completion");
    CHECK(words(line_with(text, "ReactPHP published")) == "ReactPHP published 55.038 - - - - creation");
    CHECK(words(line_with(text, "Guzzle published")) == "Guzzle published 55.035 - - - - creation");
    CHECK(line_with(text, "redis ") ==
          "redis   10 9 8 7 6 5 4 3 2 1  in order, latest +3.0 ms, server's grain of 2 ms");
    CHECK(line_with(text, "timers ") == "timers  10 9 8 7 6 5 4 3 2 1  in order, latest +3.0 ms");
    CHECK(text.find("Over its target") == text.npos);
}

TEST_CASE("timers alone have targets of their own") {
    demo::flags f;
    f.parts = {part::timers};
    const std::string text = finished_run(f).report();
    CHECK(words(line_with(text, "  target")) == "target <=10.020 <=0.010 1 1 <=4.00 MiB completion");
    CHECK(text.find("redis-server") == text.npos);
}

TEST_CASE("figures over their targets are pointed out") {
    finished_run run({});
    run.c = {31ms, 2ms, 2, 3, 8 * 1024 + 1};
    const std::string text = run.report();
    for (const char* const what : {"CPU time", "peak RSS", "threads", "processes"})
        CHECK(text.find(std::string("Over its target: ") + what) != text.npos);
    CHECK(words(line_with(text, "rondo, this run")).find("8.01 MiB") != std::string::npos);
}

TEST_CASE("blocking sleeps may have a thread each, and figures that are not known show as dashes") {
    demo::flags f;
    f.blocking = true;
    finished_run run(f);
    run.c.processes = run.c.threads = run.c.memory_kib = 0;
    const std::string text = run.report();
    CHECK(words(line_with(text, "  target")) == "target <=10.050 <=0.030 1 11 <=8.00 MiB completion");
    CHECK(words(line_with(text, "rondo, this run")) == "rondo, this run 10.003 0.0090 - - - verified");
}

TEST_CASE("every line of the report fits into 80 columns") {
    demo::flags f;
    f.scale = 0.001;
    f.time_check = false;
    finished_run run(f);
    run.l.judge_time = false;
    std::istringstream lines(run.report());
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("an order that is right only within the server's grain is not called more than that") {
    demo::flags f;
    f.parts = {part::redis};
    finished_run run(f);
    demo::board b(f.parts, f.scale, &hand_clock);
    b.begin();
    for (const int n : {10, 9, 8, 7, 5, 6, 4, 3, 2, 1}) {
        demo::wait& w = b.of(part::redis)[static_cast<std::size_t>(n - 1)];
        hand_clock_now = b.began() + std::max<demo::duration>(w.promised(), 5s) + 100ms;
        b.fulfil(w);
    }
    const auto report_with = [&](demo::duration grain) {
        run.l.grain[1] = grain;
        return demo::report(b, run.c, run.l, f);
    };
    const std::string within = report_with(1s);
    CHECK(line_with(within, "redis ").find("in order within the server's grain of 1000 ms, latest") != within.npos);
    CHECK(line_with(within, "rondo, this run").ends_with("  within grain"));
    const std::string wrong = report_with(100ms);
    CHECK(line_with(wrong, "redis ").find("WRONG ORDER, latest") != wrong.npos);
    CHECK(line_with(wrong, "rondo, this run").ends_with("  WRONG"));
}
