// A progress bar for each wait, live, on a terminal.
//
// The picture is a list of rows in the order of promised time. A row whose wait has settled turns into a
// permanent line, in the order of settling, and leaves the live region below it; as waits that promise less
// stand higher, a row stays where it is when it settles. The cursor rests on the line below the live region,
// and each frame is one write that steps up and overwrites line by line, so nothing flickers.
//
//   permanent   timers 10 ████████████████████  1.000 s  Success: Promise 10 is fulfilled!
//   live        redis  10 ███████████████████▌  0.98 of 1.00 s
//   live        timers  9 █████████▊            0.98 of 2.00 s
//   cursor
//
// A window with fewer lines than waits shows several live bars in one row.
#pragma once

#include <string>
#include <vector>

#include "board.hpp"
#include "terminal.hpp"

namespace demo {

/// The look of bars: what one frame depends on besides the waits.
struct bar_style {
    terminal::size window;
    bool utf8 = true;
    bool colour = true;
};

/// Appends a bar of `columns` cells, `share` of it (0 to 1) filled.
void append_bar(std::string& out, int columns, double share, const bar_style& style);

/// Appends one live bar, exactly `columns` wide.
void append_live(std::string& out, const wait& w, duration elapsed, int columns, const bar_style& style);

/// Appends the permanent line of a settled wait, at most as wide as the window.
void append_settled(std::string& out, const wait& w, const bar_style& style);

class bars final : public observer {
public:
    bars(terminal t, const board& b);
    bars(const bars&) = delete;
    bars& operator=(const bars&) = delete;
    /// Leaves the permanent lines, takes the live ones away and shows the cursor.
    ~bars() override;

    void settled(const wait& w) override { fresh_.push_back(&w); }
    /// Draws one frame.
    void draw();

private:
    void append_permanent();
    void append_region();

    terminal terminal_;
    const board& board_;
    bar_style style_;
    std::vector<const wait*> live_;   // the shortest promise first
    std::vector<const wait*> fresh_;  // settled since the last frame
    std::string frame_;
    int drawn_ = 0;  // lines of the live region on the screen
};

}  // namespace demo
