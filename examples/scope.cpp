// A scope: jobs that end before the block does, the first failure ending the others.
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <rondo/map.hpp>
#include <rondo/run.hpp>
#include <rondo/scope.hpp>
#include <rondo/sleep.hpp>

using namespace std::chrono_literals;

namespace {

rondo::task<int> word_length(std::string word) {
    co_await rondo::sleep_for(std::chrono::milliseconds(10 * word.size()));
    co_return static_cast<int>(word.size());
}

rondo::task<> add_length(std::string word, int& total) { total += co_await word_length(std::move(word)); }

rondo::task<> fails(std::chrono::milliseconds after) {
    co_await rondo::sleep_for(after);
    throw std::runtime_error("one of them failed");
}

rondo::task<> use_scopes() {
    const std::vector<std::string> words{"waits", "on", "one", "thread"};

    // [scope]
    int total = 0;
    co_await rondo::with_scope([&](rondo::scope& jobs) -> rondo::task<> {
        for (const std::string& word : words) jobs.spawn(add_length(word, total), "add_length");
        co_return;  // the scope waits for them
    });
    // [scope]
    std::cout << "total length: " << total << '\n';

    // [map]
    const std::vector<int> lengths = co_await rondo::map(words, 2, [](const std::string& w) { return word_length(w); });
    // [map]
    for (const int n : lengths) std::cout << n << ' ';
    std::cout << "(two at a time)\n";

    try {
        co_await rondo::with_scope([&](rondo::scope& jobs) -> rondo::task<> {
            jobs.spawn(fails(5ms), "fails");
            jobs.spawn(add_length("cancelled long before it ends", total), "add_length");
            co_return;
        });
    } catch (const std::runtime_error& e) {
        std::cout << e.what() << ", and the total is still " << total << '\n';
    }
}

}  // namespace

int main() { rondo::run(use_scopes()); }
