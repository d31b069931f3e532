// A value that knows how many of its kind are alive.
#pragma once

#include <utility>

namespace {

class tracked {
public:
    explicit tracked(int v = 0) noexcept : value(v) { ++alive; }
    tracked(const tracked& o) noexcept : value(o.value) { ++alive; }
    tracked(tracked&& o) noexcept : value(std::exchange(o.value, -1)) { ++alive; }
    tracked& operator=(const tracked&) = default;
    tracked& operator=(tracked&& o) noexcept {
        value = std::exchange(o.value, -1);
        return *this;
    }
    ~tracked() { --alive; }

    int value;  // -1 after it was moved from
    static inline int alive = 0;
};

}  // namespace
