// What surrounds the tests of a program: Catch2's own main runs them; then everything must have been given back.
//
// A test program fails if a test failed or if, after all tests, a frame, an operation, an fd or a timer is still
// alive. It tells `./rondo test` how many tests it had by a line in the file that RONDO_TEST_TALLY names.
//
// Catch2 comes with a compiled main. The linker's --wrap=main calls __wrap_main in its place, and knows it as
// __real_main.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/catch.hpp"
#include "support/conservation.hpp"

extern "C" int __real_main(int argc, char* argv[]);
extern "C" int __wrap_main(int argc, char* argv[]);

namespace {

Catch::Counts counted;

using event_listener = Catch::EventListenerBase;

class counter : public event_listener {
public:
    using event_listener::event_listener;
    void testRunEnded(const Catch::TestRunStats& run) override { counted = run.totals.testCases; }
};
CATCH_REGISTER_LISTENER(counter)

void write_tally(unsigned long long passed, unsigned long long failed) {
    const char* const path = std::getenv("RONDO_TEST_TALLY");
    std::FILE* const file = path ? std::fopen(path, "a") : nullptr;
    if (!file) return;
    std::fprintf(file, "%s %llu %llu\n", program_invocation_short_name, passed, failed);
    std::fclose(file);
}

}  // namespace

int __wrap_main(int argc, char* argv[]) {
    int status = __real_main(argc, argv);
    if (argc == 1 && counted.total() == 0) {
        std::fputs("there is no test in this program\n", stderr);
        status = 1;
    }

    std::string why;
    const bool conserved = rondo::testing_support::conserved(why);
    if (!conserved) {
        std::fprintf(stderr, "conservation: %s\n", why.c_str());
        if (status == 0) status = 1;
    }

    write_tally(counted.passed, counted.failed + (conserved ? 0 : 1));
    return status;
}
