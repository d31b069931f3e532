#include "bars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "last_rites.hpp"

namespace demo {

namespace {

constexpr std::string_view to_line_end = "\x1b[K", to_screen_end = "\x1b[J";
constexpr std::string_view hide_cursor = "\x1b[?25l", show_cursor = "\x1b[?25h";
constexpr std::string_view green = "\x1b[32m", red = "\x1b[31m", cyan = "\x1b[36m", plain = "\x1b[0m";

constexpr int label_columns = 10;    // "timers 10 "
constexpr int clock_columns = 18;    // "  12.34 of 100.0 s"
constexpr int message_columns = 46;  // "  1.000 s  Success: Promise 10 is fulfilled!"
constexpr int gap = 2;               // between two live bars in one row

void append_label(std::string& out, const wait& w) {
    fmt::format_to(std::back_inserter(out), "{:<6} {:>2} ", name(w.part()), w.number());
}

void append_coloured(std::string& out, std::string_view colour, const bar_style& style) {
    if (style.colour) out += colour;
}

// A live bar is no wider, so that it keeps its width when it settles.
int settled_bar(terminal::size window) { return std::max(window.columns - label_columns - message_columns, 8); }

// How many live bars go side by side so that all of them fit under each other in this window.
int bars_per_row(std::size_t live, terminal::size window) {
    const int room = std::max(window.rows - 2, 1);
    const int wanted = (static_cast<int>(live) + room - 1) / room;
    const int widest = std::max((window.columns + gap) / (label_columns + clock_columns + 4 + gap), 1);
    return std::clamp(wanted, 1, widest);
}

}  // namespace

void append_bar(std::string& out, int columns, double share, const bar_style& style) {
    static constexpr std::array<std::string_view, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int steps = style.utf8 ? 8 : 1;
    const int filled = static_cast<int>(std::floor(std::clamp(share, 0.0, 1.0) * columns * steps));
    int used = filled / steps;
    for (int i = 0; i < used; ++i) out += style.utf8 ? "█" : "#";
    if (filled % steps != 0) {
        out += parts[static_cast<std::size_t>(filled % steps)];
        ++used;
    }
    out.append(static_cast<std::size_t>(std::max(columns - used, 0)), style.utf8 ? ' ' : '.');
}

void append_live(std::string& out, const wait& w, duration elapsed, int columns, const bar_style& style) {
    append_label(out, w);
    const int bar = std::clamp(columns - label_columns - clock_columns, 0, settled_bar(style.window));
    const std::size_t rest = static_cast<std::size_t>(std::max(columns - label_columns - bar, 0));
    const double promised = seconds(w.promised()), passed = std::min(seconds(elapsed), promised);
    append_coloured(out, cyan, style);
    append_bar(out, bar, promised > 0 ? passed / promised : 1, style);
    append_coloured(out, plain, style);
    const std::string clock = fmt::format("  {:.2f} of {:.2f} s", passed, promised);
    fmt::format_to(std::back_inserter(out), "{:<{}.{}}", clock, rest, rest);
}

void append_settled(std::string& out, const wait& w, const bar_style& style) {
    append_label(out, w);
    const std::string text = fmt::format(" {:6.3f} s  {}", seconds(w.elapsed()), w.message());
    const int bar = settled_bar(style.window);
    append_coloured(out, w.fulfilled() ? green : red, style);
    append_bar(out, bar, 1, style);
    append_coloured(out, plain, style);
    out.append(text, 0, static_cast<std::size_t>(std::max(style.window.columns - label_columns - bar, 0)));
}

bars::bars(terminal t, const board& b) : terminal_(t), board_(b) {
    style_ = {t.current_size(), terminal::speaks_utf8(), terminal::likes_colour()};
    for (const wait& w : b.waits()) live_.push_back(&w);
    std::sort(live_.begin(), live_.end(), [](const wait* l, const wait* r) {
        return std::pair(l->promised(), l->part()) < std::pair(r->promised(), r->part());
    });
    fresh_.reserve(live_.size());
    last_rites::show_cursor_at_death(true);
}

bars::~bars() {
    frame_.clear();
    if (drawn_ > 0) fmt::format_to(std::back_inserter(frame_), "\x1b[{}A\r", drawn_);
    append_permanent();
    frame_ += to_screen_end;
    frame_ += show_cursor;
    terminal_.write(frame_);
    last_rites::show_cursor_at_death(false);
}

void bars::append_permanent() {
    for (const wait* const w : fresh_) {
        append_settled(frame_, *w, style_);
        frame_ += to_line_end;
        frame_ += '\n';
    }
    fresh_.clear();
}

void bars::append_region() {
    const duration elapsed = board_.elapsed();
    std::erase_if(live_, [](const wait* w) { return w->settled(); });
    const int per_row = bars_per_row(board_.waits().size(), style_.window);
    const int columns = (style_.window.columns - gap * (per_row - 1)) / per_row;
    const std::size_t room = static_cast<std::size_t>(std::max(style_.window.rows - 2, 1) * per_row);
    const std::size_t shown = std::min(live_.size(), room);
    drawn_ = 0;
    for (std::size_t i = 0; i < shown; ++i) {
        append_live(frame_, *live_[i], elapsed, columns, style_);
        const bool row_ends = (i + 1) % static_cast<std::size_t>(per_row) == 0 || i + 1 == shown;
        if (!row_ends) {
            frame_.append(gap, ' ');
            continue;
        }
        frame_ += to_line_end;
        frame_ += '\n';
        ++drawn_;
    }
}

void bars::draw() {
    style_.window = terminal_.current_size();
    frame_.clear();
    frame_ += hide_cursor;
    if (drawn_ > 0) fmt::format_to(std::back_inserter(frame_), "\x1b[{}A\r", drawn_);
    append_permanent();
    append_region();
    frame_ += to_screen_end;
    terminal_.write(frame_);
}

}  // namespace demo
