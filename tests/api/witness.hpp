// A value that is destroyed once for each time it is constructed, or tells.
#pragma once

#include <set>
#include <utility>

namespace {

class witness {
public:
    explicit witness(int v = 0) : value(v) { born(); }
    witness(const witness& o) : value(o.checked()) { born(); }
    witness(witness&& o) noexcept : value(std::exchange(o.value, o.checked() - o.value)) { born(); }
    witness& operator=(const witness& o) {
        checked();
        value = o.checked();
        return *this;
    }
    witness& operator=(witness&& o) noexcept {
        checked();
        value = o.checked();
        return *this;
    }
    ~witness() {
        if (alive().erase(this) == 0) ++mistakes;
    }

    /// Its value, after a look at whether it still lives.
    int checked() const noexcept {
        if (!alive().contains(this)) ++mistakes;
        return value;
    }

    int value;

    /// Double destructions, constructions on top of a living object, uses of a dead one.
    static inline int mistakes = 0;
    static std::set<const witness*>& alive() {
        static std::set<const witness*> those;
        return those;
    }

private:
    void born() noexcept {
        if (!alive().insert(this).second) ++mistakes;
    }
};

/// Around the code that is looked at: none is left, and none was destroyed twice.
class no_witness_left {
public:
    no_witness_left() { witness::mistakes = 0; }
    bool holds() const { return witness::alive().empty() && witness::mistakes == 0; }
};

}  // namespace
