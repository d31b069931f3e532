// Runs contenders against each other, interleaved, and compares the CPU time of a unit of work.
//
//   compare SUITE [--rounds R] [--json FILE] [--only SCENARIO] name=program [name=program ...]
//
// The first contender is the one in question, the second the floor. Each round runs every contender once on each
// scenario, in turn, so that the machine's moods fall on all alike.
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct work {
    const char* scenario;
    unsigned long long units;
};

// Enough units for 50 to 500 ms each.
constexpr work micro[] = {
    {"task_call", 10'000'000},   {"task_call_depth10", 1'000'000}, {"yield", 20'000'000},
    {"when_all_10", 10'000'000}, {"when_all_1000", 10'000'000},    {"spawn_1m", 1'000'000},
    {"sleepers_1m", 1'000'000},  {"timer_arm_cancel", 20'000'000}, {"nop_1", 100'000},
    {"nop_64", 2'000'000},       {"nop_256", 2'000'000},           {"cancel_depth1", 50'000},
    {"cancel_depth5", 50'000},   {"cancel_depth10", 50'000},
};

struct contender {
    std::string name;
    std::string program;
};

struct samples {
    std::vector<double> cpu_ns;
    std::vector<double> wall_s;
};

double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}
double least(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }
double most(const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }

/// The program's output; empty when it could not be run or failed.
std::string output_of(const std::string& program, const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return {};
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        std::vector<char*> argv{const_cast<char*>(program.c_str())};
        for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
        argv.push_back(nullptr);
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
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : std::string();
}

bool offers(const std::string& list, std::string_view scenario) {
    const std::string line = std::string(scenario) + "\n";
    return list.starts_with(line) || list.find("\n" + line) != std::string::npos;
}

int usage(const char* why) {
    std::fprintf(stderr,
                 "compare: %s\nusage: compare SUITE [--rounds R] [--json FILE] [--only SCENARIO] name=program ...\n",
                 why);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return usage("a suite is missing");
    const std::string suite = argv[1];
    if (suite != "micro") return usage("the suite is 'micro'");
    int rounds = 5;
    std::string json;
    std::string only;
    std::vector<contender> contenders;
    for (int i = 2; i < argc; ++i) {
        const std::string_view a = argv[i];
        const bool has_value = i + 1 < argc;
        if (a == "--rounds" && has_value) rounds = std::atoi(argv[++i]);
        else if (a == "--json" && has_value) json = argv[++i];
        else if (a == "--only" && has_value) only = argv[++i];
        else if (const std::size_t eq = a.find('='); eq != a.npos && !a.starts_with("--"))
            contenders.push_back({std::string(a.substr(0, eq)), std::string(a.substr(eq + 1))});
        else return usage(("cannot use '" + std::string(a) + "'").c_str());
    }
    if (rounds < 1 || rounds > 1000) return usage("--rounds takes a number from 1 to 1000");
    if (contenders.size() < 2) return usage("two contenders at least");

    std::vector<std::string> lists;
    for (const contender& c : contenders) {
        lists.push_back(output_of(c.program, {}));
        if (lists.back().empty()) {
            std::fprintf(stderr, "compare: cannot run %s\n", c.program.c_str());
            return 1;
        }
    }
    std::vector<work> todo;
    for (const work& w : micro) {
        if (only.empty() || only == w.scenario) todo.push_back(w);
    }
    if (todo.empty()) return usage(("no scenario is named '" + only + "'").c_str());

    std::map<std::string, std::vector<samples>> found;  // by scenario, then contender
    for (const work& w : todo) found[w.scenario].resize(contenders.size());
    for (int r = 0; r < rounds; ++r) {
        std::fprintf(stderr, "\rround %d of %d ", r + 1, rounds);
        for (const work& w : todo) {
            for (std::size_t c = 0; c < contenders.size(); ++c) {
                if (!offers(lists[c], w.scenario)) continue;
                const std::string out = output_of(contenders[c].program, {w.scenario, std::to_string(w.units)});
                double cpu = 0;
                double wall = 0;
                if (std::sscanf(out.c_str(), "%lf %lf", &cpu, &wall) != 2) {
                    std::fprintf(stderr, "\ncompare: %s failed in %s\n", contenders[c].name.c_str(), w.scenario);
                    return 1;
                }
                found[w.scenario][c].cpu_ns.push_back(cpu);
                found[w.scenario][c].wall_s.push_back(wall);
            }
        }
    }
    std::fprintf(stderr, "\r                  \r");

    utsname machine{};
    ::uname(&machine);
    std::printf("%s, %d rounds interleaved, Linux %s; CPU ns per unit: median (best), and best / best of %s\n\n",
                suite.c_str(), rounds, machine.release, contenders[1].name.c_str());
    std::printf("%-19s", "");
    for (const contender& c : contenders) std::printf("%26s", c.name.c_str());
    std::puts("");
    for (const work& w : todo) {
        std::printf("%-19s", w.scenario);
        const std::vector<samples>& row = found[w.scenario];
        for (std::size_t c = 0; c < contenders.size(); ++c) {
            std::array<char, 64> cell{};
            if (!row[c].cpu_ns.empty()) {
                std::array<char, 16> ratio{};
                if (c != 1 && !row[1].cpu_ns.empty())
                    std::snprintf(ratio.data(), ratio.size(), " %.2fx", least(row[c].cpu_ns) / least(row[1].cpu_ns));
                std::snprintf(cell.data(), cell.size(), "%.1f (%.1f)%s", median(row[c].cpu_ns), least(row[c].cpu_ns),
                              ratio.data());
            }
            std::printf("%26s", cell.data());
        }
        std::puts("");
    }
    if (json.empty()) return 0;
    std::FILE* const f = std::fopen(json.c_str(), "we");
    if (f == nullptr) {
        std::fprintf(stderr, "compare: cannot write %s: %s\n", json.c_str(), std::strerror(errno));
        return 1;
    }
    const char* separator = "[\n";
    for (const work& w : todo) {
        for (std::size_t c = 0; c < contenders.size(); ++c) {
            const samples& s = found[w.scenario][c];
            const auto row = [&](const char* metric, const char* unit, const std::vector<double>& v) {
                if (v.empty()) return;
                std::fprintf(f,
                             "%s  {\"suite\": \"%s\", \"scenario\": \"%s\", \"contender\": \"%s\", \"metric\": \"%s\", "
                             "\"unit\": \"%s\", \"median\": %.4f, \"min\": %.4f, \"max\": %.4f, \"runs\": %zu}",
                             separator, suite.c_str(), w.scenario, contenders[c].name.c_str(), metric, unit, median(v),
                             least(v), most(v), v.size());
                separator = ",\n";
            };
            row("cpu_time", "ns", s.cpu_ns);
            row("wall_time", "s", s.wall_s);
        }
    }
    std::fputs("\n]\n", f);
    return std::fclose(f) == 0 ? 0 : 1;
}
