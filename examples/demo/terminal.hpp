// Where the demo writes: what the other end of standard output can show, and getting bytes to it.
#pragma once

#include <string_view>

namespace demo {

class terminal {
public:
    struct size {
        int columns, rows;
    };

    explicit terminal(int fd) noexcept : fd_(fd) {}

    /// True when cursor movement can be used: a tty that is not dumb and has room for bars.
    bool can_draw() const noexcept;
    /// Asked anew each time, so that a resized window is followed.
    size current_size() const noexcept;
    /// True when the environment asks for UTF-8.
    static bool speaks_utf8() noexcept;
    /// True unless NO_COLOR is set.
    static bool likes_colour() noexcept;

    /// Writes all of it, or as much as the other end takes; what it does not take of the standard output is remembered.
    void write(std::string_view text) const noexcept;
    /// The errno of the first write to the standard output that failed; 0 when none did.
    static int lost_output() noexcept;

private:
    int fd_;
};

/// Opens /dev/null where a standard descriptor is closed, so that nothing else gets its number and is written to.
/// Writing to the standard output fails as before.
void keep_standard_descriptors() noexcept;

}  // namespace demo
