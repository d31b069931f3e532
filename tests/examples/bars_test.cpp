#include "demo/bars.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include "support/catch.hpp"

using demo::bar_style;
using demo::bars;
using demo::board;
using demo::part;
using namespace std::chrono_literals;

namespace {

demo::time_point hand_clock_now;
demo::time_point hand_clock() { return hand_clock_now; }

// Understands what bars send: text, newline, return, cursor up, erase to the end of line or screen, colours, cursor
// visibility. Rows are never scrolled away, so the picture can be read as one text.
class screen {
public:
    explicit screen(int rows) : window_rows_(rows) { rows_.emplace_back(); }

    void feed(const std::string& bytes) {
        for (std::size_t i = 0; i < bytes.size();) i = bytes[i] == '\x1b' ? sequence(bytes, i) : character(bytes, i);
    }

    const std::vector<std::u32string>& rows() const { return rows_; }
    std::vector<std::string> text() const {
        std::vector<std::string> out;
        for (const std::u32string& r : rows_) {
            std::string line;
            for (const char32_t c : r) line += c < 128 ? static_cast<char>(c) : '#';
            line.resize(line.find_last_not_of(' ') + 1);
            out.push_back(line);
        }
        return out;
    }
    std::size_t row() const { return row_; }
    bool cursor_visible() const { return visible_; }
    bool went_above_window() const { return above_window_; }

private:
    std::size_t character(const std::string& s, std::size_t i) {
        const auto first = static_cast<unsigned char>(s[i]);
        if (first == '\n') {
            if (++row_ == rows_.size()) rows_.emplace_back();
            return i + 1;
        }
        if (first == '\r') return column_ = 0, i + 1;
        const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        char32_t c = length == 1 ? first : U'█';
        std::u32string& row = rows_[row_];
        if (row.size() <= column_) row.resize(column_ + 1, U' ');
        row[column_++] = c;
        return i + length;
    }

    std::size_t sequence(const std::string& s, std::size_t i) {
        std::size_t end = i + 2;
        while (end < s.size() && (s[end] < '@' || s[end] > '~')) ++end;
        const std::string parameter = s.substr(i + 2, end - i - 2);
        switch (s[end]) {
            case 'A': {
                const auto up = static_cast<std::size_t>(std::stoi(parameter));
                const std::size_t top = rows_.size() > window_rows() ? rows_.size() - window_rows() : 0;
                above_window_ = above_window_ || row_ < top + up;
                row_ -= std::min(up, row_);
                break;
            }
            case 'K': rows_[row_].resize(std::min(rows_[row_].size(), column_)); break;
            case 'J':
                rows_[row_].resize(std::min(rows_[row_].size(), column_));
                rows_.resize(row_ + 1);
                break;
            case 'h': visible_ = parameter == "?25" || visible_; break;
            case 'l': visible_ = parameter != "?25" && visible_; break;
            default: break;
        }
        return end + 1;
    }

    std::size_t window_rows() const { return static_cast<std::size_t>(window_rows_); }

    int window_rows_;
    std::vector<std::u32string> rows_;
    std::size_t row_ = 0, column_ = 0;
    bool visible_ = true, above_window_ = false;
};

// A terminal of a given size. A thread takes what is written, as the kernel holds only a few KiB for it.
class pseudo_terminal {
public:
    pseudo_terminal(unsigned short columns, unsigned short rows) : picture(rows) {
        const winsize size{rows, columns, 0, 0};
        REQUIRE(::openpty(&master_, &slave_, nullptr, nullptr, &size) == 0);
        reader_ = std::thread([this] { take(); });
    }
    pseudo_terminal(const pseudo_terminal&) = delete;
    pseudo_terminal& operator=(const pseudo_terminal&) = delete;
    ~pseudo_terminal() {
        ::close(slave_);  // the reader sees the end
        reader_.join();
        ::close(master_);
    }

    int fd() const { return slave_; }

    // Brings the picture up to date with everything written so far: a bell marks where that ends.
    void update() {
        REQUIRE(::write(slave_, "\a", 1) == 1);
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return taken_.ends_with('\a') || ended_; });
        REQUIRE_FALSE(ended_);
        taken_.pop_back();
        picture.feed(taken_);
        taken_.clear();
    }

    screen picture;

private:
    void take() {
        std::array<char, 4096> buffer{};
        for (;;) {
            const ssize_t n = ::read(master_, buffer.data(), buffer.size());
            const std::lock_guard lock(mutex_);
            if (n > 0) taken_.append(buffer.data(), static_cast<std::size_t>(n));
            else ended_ = true;
            arrived_.notify_one();
            if (ended_) return;
        }
    }

    int master_ = -1, slave_ = -1;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::string taken_;
    bool ended_ = false;
    std::thread reader_;
};

void settle(board& b, part p, int number) {
    demo::wait& w = b.of(p)[static_cast<std::size_t>(number - 1)];
    hand_clock_now = b.began() + w.promised();
    b.fulfil(w);
}

std::string bar(int columns, double share, bool utf8) {
    std::string out;
    demo::append_bar(out, columns, share, {{80, 24}, utf8, false});
    return out;
}

}  // namespace

TEST_CASE("a bar fills in eighths of a cell, or in whole cells without UTF-8") {
    CHECK(bar(4, 0, true) == "    ");
    CHECK(bar(4, 0.5, true) == "██  ");
    CHECK(bar(4, 0.53125, true) == "██▏ ");
    CHECK(bar(4, 1, true) == "████");
    CHECK(bar(4, 7, true) == "████");
    CHECK(bar(4, 0.6, false) == "##..");
    CHECK(bar(4, -1, false) == "....");
    CHECK(bar(0, 0.5, true).empty());
}

TEST_CASE("a live bar is exactly as wide as asked, and shows how much has passed") {
    const board b(std::array{part::redis}, 1);
    for (const int columns : {28, 38, 40, 80}) {
        std::string out;
        demo::append_live(out, b.waits()[8], 500ms, columns, {{80, 24}, false, false});
        CHECK(out.size() == static_cast<std::size_t>(columns));
        CHECK(out.starts_with("redis   9 "));
        CHECK(out.find("0.50 of 2.00 s") != out.npos);
    }
}

TEST_CASE("a settled line is no wider than the window") {
    board b(std::array{part::timers}, 1, &hand_clock);
    b.begin();
    settle(b, part::timers, 10);
    for (const int columns : {20, 40, 80, 200}) {
        std::string out;
        demo::append_settled(out, b.waits()[9], {{columns, 24}, false, false});
        CHECK(out.size() <= static_cast<std::size_t>(columns));
        if (columns >= 80) CHECK(out.ends_with("1.000 s  Success: Promise 10 is fulfilled!"));
    }
}

TEST_CASE("a high window shows one row for each wait, settled ones on top in the order of settling") {
    ::setenv("LC_ALL", "C.UTF-8", 1);
    pseudo_terminal t(80, 40);
    board b(std::array{part::timers, part::redis, part::http}, 1, &hand_clock);
    b.begin();
    {
        bars live(demo::terminal(t.fd()), b);
        b.observe(live);
        live.draw();
        t.update();
        CHECK_FALSE(t.picture.cursor_visible());
        CHECK(t.picture.row() == 30);
        CHECK(t.picture.text()[0].starts_with("timers 10 "));
        CHECK(t.picture.text()[29].starts_with("http    1 "));

        settle(b, part::http, 10);
        settle(b, part::timers, 10);
        live.draw();
        t.update();
        const std::vector<std::string> rows = t.picture.text();
        REQUIRE(rows.size() == 31);
        CHECK(rows[0].starts_with("http   10 ###"));
        CHECK(rows[0].ends_with("1.000 s  Success: Promise 10 is fulfilled!"));
        CHECK(rows[1].starts_with("timers 10 ###"));
        CHECK(rows[2].starts_with("redis  10 "));
        CHECK(rows[2].ends_with("1.00 of 1.00 s"));
        CHECK(t.picture.row() == 30);

        settle(b, part::redis, 10);
    }
    t.update();
    const std::vector<std::string> rows = t.picture.text();
    REQUIRE(rows.size() == 4);  // the three that settled, the last of them since the last frame, and the cursor's line
    CHECK(rows[2].starts_with("redis  10 ###"));
    CHECK(t.picture.cursor_visible());
}

TEST_CASE("a low window shows bars side by side and never steps above its first line") {
    pseudo_terminal t(80, 24);
    board b(std::array{part::timers, part::redis, part::http}, 1, &hand_clock);
    b.begin();
    bars live(demo::terminal(t.fd()), b);
    b.observe(live);
    live.draw();
    t.update();
    CHECK(t.picture.row() == 15);
    CHECK(t.picture.text()[0].find("redis  10 ") != std::string::npos);
    for (const std::u32string& row : t.picture.rows()) CHECK(row.size() <= 80);

    for (int n = 10; n >= 1; --n)
        for (const part p : b.parts()) {
            settle(b, p, n);
            live.draw();
        }
    t.update();
    CHECK(t.picture.row() == 30);
    CHECK_FALSE(t.picture.went_above_window());
}
