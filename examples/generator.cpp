// A source with pages, read as one series of lines, a page at a time and not too fast.
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include <rondo/async_generator.hpp>
#include <rondo/interval.hpp>
#include <rondo/run.hpp>
#include <rondo/sleep.hpp>

using namespace std::chrono_literals;

namespace {

/// What a server gives for a page number: nothing after the last.
rondo::task<std::vector<std::string>> fetch_page(int number) {
    co_await rondo::sleep_for(1ms);
    std::vector<std::string> lines;
    if (number > 3) co_return lines;
    for (const char* name : {"first", "second"})
        lines.push_back("page " + std::to_string(number) + ", " + name + " line");
    co_return lines;
}

// [generator]
rondo::async_generator<std::string> all_lines() {
    rondo::interval pace(5ms);
    for (int page = 1;; ++page) {
        std::vector<std::string> lines = co_await fetch_page(page);
        if (lines.empty()) co_return;
        for (std::string& line : lines) co_yield std::move(line);
        co_await pace.tick();  // at most one page in 5 ms
    }
}
// [generator]

rondo::task<> read_lines() {
    // [read]
    auto lines = all_lines();
    int n = 0;
    while (auto line = co_await lines.next()) {
        std::cout << *line << '\n';
        if (++n == 5) break;  // the rest is never fetched
    }
    // [read]
}

}  // namespace

int main() { rondo::run(read_lines()); }
