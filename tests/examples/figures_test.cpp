#include "demo/figures.hpp"

#include <memory>

#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace {

// A child that lives until it is told to end.
class child_process {
public:
    child_process() {
        REQUIRE(::pipe(hold_) == 0);
        pid_ = ::fork();
        REQUIRE(pid_ >= 0);
        if (pid_ == 0) {
            ::close(hold_[1]);
            char nothing = 0;
            ::_exit(::read(hold_[0], &nothing, 1) == 0 ? 0 : 1);
        }
        ::close(hold_[0]);
    }
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;
    ~child_process() {
        ::close(hold_[1]);
        ::waitpid(pid_, nullptr, 0);
    }
    pid_t pid() const { return pid_; }

private:
    int hold_[2]{};
    pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("processes are counted with their children, except the one put aside") {
    const std::size_t alone = demo::process_count(0);
    REQUIRE(alone == 1);
    const child_process first;
    CHECK(demo::process_count(0) == 2);
    CHECK(demo::process_count(first.pid()) == 1);
    const child_process second;
    CHECK(demo::process_count(first.pid()) == 2);
}

TEST_CASE("figures keep the most that was seen") {
    demo::figures seen(demo::process_cpu());
    {
        const child_process child;
        seen.sample();
    }
    seen.sample();
    CHECK(seen.most_processes() == 2);
    CHECK(seen.most_threads() >= 1);
}

TEST_CASE("peak memory does not shrink and grows with what is touched") {
    const std::size_t before = demo::peak_memory_kib();
    REQUIRE(before > 0);
    constexpr std::size_t size = 64 << 20;
    {
        const auto block = std::make_unique<char[]>(size);  // zeroed: each page is touched
        REQUIRE(block[size / 2] == 0);
    }
    CHECK(demo::peak_memory_kib() >= before + (size >> 10) / 2);
}

TEST_CASE("CPU time is counted from the moment that is called main") {
    const demo::duration at_main = demo::process_cpu();
    const demo::figures counted(at_main);
    CHECK(counted.cpu_before_main() == at_main);
    const demo::duration early = counted.cpu_from_main();
    while (demo::process_cpu() - at_main < early + std::chrono::milliseconds(2)) {}
    CHECK(counted.cpu_from_main() >= early + std::chrono::milliseconds(2));
}
