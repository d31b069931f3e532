#include "support/measurement.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace bench {

double samples::median() const {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 != 0 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
double samples::min() const { return *std::min_element(values.begin(), values.end()); }
double samples::max() const { return *std::max_element(values.begin(), values.end()); }

void measurements::add(const std::string& scenario, const std::string& contender, const std::string& metric,
                       const std::string& unit, double value) {
    for (samples& s : all_) {
        if (s.scenario != scenario || s.contender != contender || s.metric != metric) continue;
        s.values.push_back(value);
        return;
    }
    all_.push_back({scenario, contender, metric, unit, {value}});
}

const samples* measurements::find(const std::string& scenario, const std::string& contender,
                                  const std::string& metric) const {
    for (const samples& s : all_) {
        if (s.scenario == scenario && s.contender == contender && s.metric == metric) return &s;
    }
    return nullptr;
}

std::string floor_of(const std::string& contender) { return contender.ends_with("-clang") ? "floor-clang" : "floor"; }

bool is_judged(const std::string& contender) { return contender == "rondo" || contender == "rondo-clang"; }

namespace {

std::string print(const char* format, double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

/// Three figures are enough for a reader.
std::string short_number(double v) { return print(v < 10 ? "%.2f" : v < 100 ? "%.1f" : "%.0f", v); }

/// The least of `s` over the least of the floor; 0 when there is no floor to compare with.
double over_floor(const measurements& m, const samples& s) {
    const samples* const floor = m.find(s.scenario, floor_of(s.contender), s.metric);
    return floor == nullptr || floor->min() <= 0 ? 0 : s.min() / floor->min();
}

struct verdict {
    std::string text;
    bool missed = false;
};

verdict judge(const target& goal, const samples& s, double ratio) {
    if (!is_judged(s.contender) || goal.what == target::kind::none) return {};
    const bool is_ratio = goal.what == target::kind::times_floor;
    if (is_ratio && ratio == 0) return {};
    const double reached = is_ratio ? ratio : s.min();
    const bool met = reached <= goal.limit;
    const std::string limit = is_ratio ? print("%.2f x", goal.limit) : short_number(goal.limit) + " " + s.unit;
    return {"<= " + limit + (met ? "  met" : "  MISSED"), !met};
}

/// A row for each contender that has this metric; true when there was one.
bool print_rows(const measurements& m, const char* scenario, const char* metric, const target& goal,
                const std::vector<std::string>& contenders, int& missed) {
    const char* title = scenario;
    for (const std::string& c : contenders) {
        const samples* const s = m.find(scenario, c, metric);
        if (s == nullptr) continue;
        const double ratio = over_floor(m, *s);
        const verdict v = judge(goal, *s, ratio);
        missed += v.missed ? 1 : 0;
        const bool is_floor = c == floor_of(c);
        std::printf("%-20s%-13s%10s%10s%10s%10s  %s\n", title, c.c_str(), short_number(s->median()).c_str(),
                    short_number(s->min()).c_str(), short_number(s->max()).c_str(),
                    ratio == 0 || is_floor ? "" : print("%.2f", ratio).c_str(), v.text.c_str());
        title = "";
    }
    return *title == '\0';
}

void print_heading(const char* what) {
    std::printf("%-33s%10s%10s%10s%10s  %s\n", what, "median", "best", "worst", "x floor", "target");
}

}  // namespace

int print_table(const measurements& m, const std::vector<scenario_plan>& scenarios,
                const std::vector<std::string>& contenders) {
    int missed = 0;
    print_heading("CPU ns a unit");
    for (const scenario_plan& s : scenarios) print_rows(m, s.name, "cpu_time", s.cpu, contenders, missed);
    for (const figure_target& f : micro_figures) {
        bool ran = false;
        for (const std::string& c : contenders) ran = ran || m.find(f.scenario, c, f.metric) != nullptr;
        if (!ran) continue;
        std::puts("");
        print_heading(f.title);
        print_rows(m, f.scenario, f.metric, f.goal, contenders, missed);
    }
    return missed;
}

bool write_json(const std::string& path, const std::string& suite, const measurements& m) {
    std::FILE* const f = std::fopen(path.c_str(), "we");
    if (f == nullptr) return false;
    const char* separator = "[\n";
    for (const samples& s : m.all()) {
        std::fprintf(f,
                     "%s  {\"suite\": \"%s\", \"scenario\": \"%s\", \"contender\": \"%s\", \"metric\": \"%s\", "
                     "\"unit\": \"%s\", \"median\": %.4f, \"min\": %.4f, \"max\": %.4f, \"runs\": %zu}",
                     separator, suite.c_str(), s.scenario.c_str(), s.contender.c_str(), s.metric.c_str(),
                     s.unit.c_str(), s.median(), s.min(), s.max(), s.values.size());
        separator = ",\n";
    }
    std::fputs("\n]\n", f);
    const bool written = std::ferror(f) == 0;
    return std::fclose(f) == 0 && written;
}

}  // namespace bench
