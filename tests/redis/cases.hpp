// Reads the data files of tests/redis/cases.
#pragma once

#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace redis_test {

/// `\R{count,text}` written out; the text is not unescaped.
inline std::string repeat_marks(std::string_view s) {
    std::string out;
    while (!s.empty()) {
        const std::size_t at = s.find("\\R{");
        out += s.substr(0, at);
        if (at == s.npos) break;
        const std::size_t comma = s.find(',', at);
        const std::size_t end = s.find('}', comma);
        if (end == s.npos) throw std::runtime_error("\\R without end: " + std::string(s));
        const std::string_view text = s.substr(comma + 1, end - comma - 1);
        for (int n = std::stoi(std::string(s.substr(at + 3, comma - at - 3))); n > 0; --n) out += text;
        s.remove_prefix(end + 1);
    }
    return out;
}

/// The bytes that an escaped column stands for.
inline std::string unescape(std::string_view escaped) {
    const std::string s = repeat_marks(escaped);
    std::string out;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] != '\\') {
            out += s[i];
            continue;
        }
        const char c = i + 1 < s.size() ? s[++i] : '\0';
        if (c == 'r') out += '\r';
        else if (c == 'n') out += '\n';
        else if (c == 't') out += '\t';
        else if (c == '\\') out += '\\';
        else if (c == 'x' && i + 2 < s.size()) {
            out += static_cast<char>(std::stoi(s.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            throw std::runtime_error("bad escape in " + s);
        }
    }
    return out;
}

/// The rows of a file below the tests' folder, split at tabs; comments and blank lines left out.
inline std::vector<std::vector<std::string>> read_cases(const std::string& name, std::size_t columns) {
    std::ifstream in(std::string(RONDO_TEST_DATA_DIR) + "/" + name);
    if (!in) throw std::runtime_error("no test data: " + name);
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line.front() == '#') continue;
        std::vector<std::string> row;
        std::size_t begin = 0;
        for (std::size_t tab = 0; tab != line.npos; begin = tab + 1) {
            tab = line.find('\t', begin);
            row.push_back(line.substr(begin, tab == line.npos ? tab : tab - begin));
        }
        if (row.size() != columns) throw std::runtime_error(name + ": wrong number of columns: " + line);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace redis_test
