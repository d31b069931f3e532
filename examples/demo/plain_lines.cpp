#include "plain_lines.hpp"

#include <iterator>

#include <fmt/format.h>

namespace demo {

void plain_lines::settled(const wait& w) {
    fmt::memory_buffer line;
    fmt::format_to(std::back_inserter(line), "{:7.3f} s  {:<6}  {}\n", seconds(w.elapsed()), name(w.part()),
                   w.message());
    terminal_.write({line.data(), line.size()});
}

}  // namespace demo
