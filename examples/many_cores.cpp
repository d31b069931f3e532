// One program on several cores: a context each, and a channel between them.
#include <cstdint>
#include <iostream>

#include <rondo/on.hpp>
#include <rondo/run.hpp>
#include <rondo/shared_channel.hpp>

namespace {

struct range {
    range(std::uint32_t from, std::uint32_t to) : first(from), last(to) {}
    std::uint32_t first;
    std::uint32_t last;
};

std::uint32_t primes_in(range r) {
    std::uint32_t found = 0;
    for (std::uint32_t n = r.first < 2 ? 2 : r.first; n < r.last; ++n) {
        bool prime = true;
        for (std::uint32_t d = 2; prime && d * d <= n; ++d) prime = n % d != 0;
        found += prime ? 1U : 0U;
    }
    return found;
}

// [worker]
rondo::task<std::uint32_t> worker(rondo::shared_channel<range>& work) {
    std::uint32_t found = 0;
    while (auto part = co_await work.receive()) found += primes_in(*part);
    co_return found;
}
// [worker]

rondo::task<> send_all(rondo::shared_channel<range>& work) {
    for (std::uint32_t first = 0; first < 200'000; first += 1'000) co_await work.send(range(first, first + 1'000));
    work.close();
}

rondo::task<> count_primes() {
    // [contexts]
    rondo::shared_channel<range> work(16);
    auto sending = rondo::spawn_on(rondo::context::at(0), send_all(work), "send_all");
    std::uint32_t total = 0;
    const auto found = co_await rondo::for_each_context([&](rondo::context) { return worker(work); });
    for (const std::uint32_t n : found) {
        std::cout << "a context found " << n << '\n';
        total += n;
    }
    co_await sending.join();
    // [contexts]
    std::cout << total << " primes below 200000, by " << rondo::context::count() << " contexts\n";
}

}  // namespace

int main() {
    // [threads]
    rondo::run(rondo::runtime_options().threads(2), count_primes());
    // [threads]
}
