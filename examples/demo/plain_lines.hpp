// One line for each wait that settles: for pipes, files and dumb terminals.
#pragma once

#include "board.hpp"
#include "terminal.hpp"

namespace demo {

class plain_lines final : public observer {
public:
    explicit plain_lines(terminal t) noexcept : terminal_(t) {}
    void settled(const wait& w) override;

private:
    terminal terminal_;
};

}  // namespace demo
