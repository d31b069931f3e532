#include "report_line.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ranges>

#include <rondo/detail/promise_base.hpp>

namespace rondo::inline v0::detail {

namespace {
constexpr std::size_t max_frames = 32;
constexpr unsigned max_indent = 40;
}  // namespace

std::string format_duration(std::int64_t ns) {
    struct unit {
        double size;
        const char* name;
    };
    static constexpr std::array<unit, 4> units{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
    const double value = static_cast<double>(ns);
    for (const unit& u : units) {
        if (value < u.size && u.size > 1) continue;
        std::array<char, 48> text{};
        std::snprintf(text.data(), text.size(), "%.4g %s", value / u.size, u.name);
        return text.data();
    }
    return "0 s";
}

std::string format_location(const std::source_location& where) {
    std::string_view file = where.file_name();
    if (file.empty()) return "?";
    file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
    return std::string(file) + ":" + std::to_string(where.line());
}

void report_line::remaining(std::int64_t deadline) {
    if (deadline == INT64_MAX) out_ += "never";
    else if (deadline <= now_) out_ += "due";
    else out_ += format_duration(deadline - now_) + " to go";
}

void report_line::one(const job& j, unsigned indent) {
    const std::string pad(std::min(indent, max_indent), ' ');
    out_ += pad;
    j.ops->describe(j, *this);
    out_ += ": ";
    if (tls.current == &j) out_ += "running";
    else if (j.leaf != nullptr) j.leaf->ops->describe(*j.leaf, *this);
    else if (j.ending) out_ += "ends after children it let go";
    else out_ += "ready";
    if (j.reason != cancel_reason::none) (out_ += ", cancelled: ") += to_string(j.reason);
    out_ += '\n';
    if (j.leaf == nullptr || j.top == nullptr) return;
    out_ += pad + "  at ";
    // Recursion shows as one place and a count.
    std::size_t shown = 0;
    for (const promise_base* p = j.top; p != nullptr;) {
        const std::source_location here = p->last_await();
        std::size_t repeats = 0;
        do {
            ++repeats;
            p = p->is_root() || p->caller == 0 ? nullptr : p->caller_promise();
        } while (p != nullptr && p->last_await().line() == here.line() &&
                 p->last_await().file_name() == here.file_name());
        if (shown == max_frames) {
            out_ += " <- ...";
            break;
        }
        out_ += (shown++ == 0 ? "" : " <- ") + format_location(here);
        if (repeats > 1) out_ += " (" + std::to_string(repeats) + " times)";
    }
    out_ += '\n';
}

void report_line::tree(const job& root) {
    struct entry {
        const job* j;
        unsigned indent;
    };
    std::vector<entry> todo{{&root, 0}};
    while (!todo.empty()) {
        const entry e = todo.back();
        todo.pop_back();
        children_.clear();
        one(*e.j, e.indent);
        for (const job* const j : std::views::reverse(children_)) todo.push_back({j, e.indent + 2});
    }
}

}  // namespace rondo::inline v0::detail
