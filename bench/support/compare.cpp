// Runs contenders against each other, interleaved, and compares the CPU time of a unit of work.
//
//   compare SUITE [--rounds R] [--seconds S] [--only SCENARIO] [--json FILE] name=program [name=program ...]
//
// Each round runs every contender once in each scenario, in turn, so that the machine's moods fall on all alike. After
// S seconds no scenario begins again that has run once.
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/measurement.hpp"

using namespace bench;

namespace {

struct contender {
    std::string name;
    std::string program;
    std::string scenarios;  // a line each
};

struct request {
    std::string suite;
    int rounds = 5;
    double seconds = 150;
    std::string json;
    std::string only;
    std::vector<contender> contenders;
};

double now() {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// The program's output; empty when it could not be run or failed.
std::string output_of(const std::string& program, std::vector<std::string> arguments) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return {};
    arguments.insert(arguments.begin(), program);
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        ::execv(program.c_str(), argv.data());
        std::_Exit(127);
    }
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t n = ::read(ends[0], buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(n));
    }
    ::close(ends[0]);
    int status = 0;
    while (pid > 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : std::string();
}

bool offers(const contender& c, std::string_view scenario) {
    const std::string line = std::string(scenario) + "\n";
    return c.scenarios.starts_with(line) || c.scenarios.find("\n" + line) != std::string::npos;
}

int refuse(const std::string& why) {
    std::fprintf(stderr, "compare: %s\n", why.c_str());
    return 2;
}

std::string scenario_names() {
    std::string names;
    for (const scenario_plan& s : micro_suite) names += (names.empty() ? "" : ", ") + std::string(s.name);
    return names;
}

/// Zero, or the exit status.
int read_arguments(int argc, char** argv, request& r) {
    if (argc < 2 || std::string_view(argv[1]) != "micro") {
        return refuse(argc < 2 ? "which suite? There is: micro"
                               : "no suite is named '" + std::string(argv[1]) + "'. There is: micro");
    }
    r.suite = argv[1];
    for (int i = 2; i < argc; ++i) {
        const std::string a = argv[i];
        const bool has_value = i + 1 < argc;
        if (a == "--rounds" && has_value) {
            r.rounds = std::atoi(argv[++i]);
            if (r.rounds < 1 || r.rounds > 1000) return refuse("--rounds takes a number from 1 to 1000");
        } else if (a == "--seconds" && has_value) {
            r.seconds = std::strtod(argv[++i], nullptr);
            if (!(r.seconds >= 1 && r.seconds <= 1e6)) return refuse("--seconds takes a number from 1 to 1000000");
        } else if (a == "--json" && has_value) {
            r.json = argv[++i];
        } else if (a == "--only" && has_value) {
            r.only = argv[++i];
        } else if (const std::size_t eq = a.find('='); eq != a.npos && !a.starts_with("--")) {
            r.contenders.push_back({a.substr(0, eq), a.substr(eq + 1), {}});
        } else {
            return refuse("cannot use '" + a + "'. Arguments: --rounds R, --seconds S, --only SCENARIO, --json FILE");
        }
    }
    if (r.contenders.empty()) return refuse("no contender: give name=program");
    return 0;
}

/// The scenarios asked for.
std::vector<scenario_plan> choose(const request& r) {
    std::vector<scenario_plan> chosen;
    for (const scenario_plan& s : micro_suite) {
        if (r.only.empty() || r.only == s.name) chosen.push_back(s);
    }
    return chosen;
}

/// Adds what one run printed; false when that is not what a contender prints.
bool read_output(const std::string& text, const std::string& scenario, const std::string& contender, measurements& m) {
    std::istringstream in(text);
    std::string metric;
    std::string unit;
    double value = 0;
    bool has_time = false;
    while (in >> metric >> unit >> value) {
        m.add(scenario, contender, metric, unit, value);
        has_time = has_time || metric == "cpu_time";
    }
    return has_time && in.eof();
}

/// One run of each contender in a scenario. False after a line about what failed.
bool run_scenario(const scenario_plan& s, const std::vector<contender>& contenders, measurements& m) {
    for (const contender& c : contenders) {
        if (!offers(c, s.name)) continue;
        const bool is_peer = !is_judged(c.name) && c.name != floor_of(c.name);
        const std::string out = output_of(c.program, {s.name, std::to_string(is_peer ? s.peer_units : s.units)});
        if (read_output(out, s.name, c.name, m)) continue;
        std::fprintf(stderr, "compare: %s failed in %s\n", c.name.c_str(), s.name);
        return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    request r;
    if (const int status = read_arguments(argc, argv, r); status != 0) return status;
    const std::vector<scenario_plan> scenarios = choose(r);
    if (scenarios.empty()) return refuse("no scenario is named '" + r.only + "'. There are: " + scenario_names());
    for (contender& c : r.contenders) {
        c.scenarios = output_of(c.program, {});
        if (!c.scenarios.empty()) continue;
        std::fprintf(stderr, "compare: cannot run %s\n", c.program.c_str());
        return 1;
    }
    if (!r.json.empty() && !write_json(r.json, r.suite, {})) {  // now, not after minutes
        std::fprintf(stderr, "compare: cannot write %s: %s\n", r.json.c_str(), std::strerror(errno));
        return 1;
    }

    measurements m;
    const double begin = now();
    int done = 0;
    for (; done < r.rounds && (done == 0 || now() - begin < r.seconds); ++done) {
        for (const scenario_plan& s : scenarios) {
            if (done > 0 && now() - begin >= r.seconds) break;
            if (std::none_of(r.contenders.begin(), r.contenders.end(), [&](auto& c) { return offers(c, s.name); }))
                continue;
            std::fprintf(stderr, "round %d of %d, %3.0f s: %s\n", done + 1, r.rounds, now() - begin, s.name);
            if (!run_scenario(s, r.contenders, m)) return 1;
        }
    }

    utsname machine{};
    ::uname(&machine);
    std::printf("%s: %d rounds in %.0f s, interleaved; Linux %s, %ld cores\n", r.suite.c_str(), done, now() - begin,
                machine.release, ::sysconf(_SC_NPROCESSORS_ONLN));
    if (now() - begin >= r.seconds)
        std::printf("(--seconds %.0f ended it; a greater one lets it run all %d rounds)\n", r.seconds, r.rounds);
    std::puts("x floor: the best over the best of the floor that the same compiler built; peers: of g++'s floor\n");
    std::vector<std::string> names;
    names.reserve(r.contenders.size());
    for (const contender& c : r.contenders) names.push_back(c.name);
    const int missed = print_table(m, scenarios, names);
    std::printf("\n%s\n", missed == 0 ? "no target missed" : (std::to_string(missed) + " targets missed").c_str());
    if (!r.json.empty() && !write_json(r.json, r.suite, m)) {
        std::fprintf(stderr, "compare: cannot write %s: %s\n", r.json.c_str(), std::strerror(errno));
        return 1;
    }
    return 0;
}
