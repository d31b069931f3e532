// Reads tests/http/cases/*.tsv, and writes bytes the way those files do.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cases {

inline std::string unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            out += text[i];
            continue;
        }
        const char kind = text.at(++i);
        if (kind == 'r') out += '\r';
        else if (kind == 'n') out += '\n';
        else if (kind == 't') out += '\t';
        else if (kind == '\\') out += '\\';
        else if (kind == 'x') {
            out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
            i += 2;
        } else if (kind == 'R') {
            const std::size_t comma = text.find(',', i);
            const std::size_t end = text.find('}', comma);
            const std::string piece = unescape(text.substr(comma + 1, end - comma - 1));
            for (int n = std::stoi(std::string(text.substr(i + 2, comma - i - 2))); n > 0; --n) out += piece;
            i = end;
        } else throw std::runtime_error("unknown escape in " + std::string(text));
    }
    return out;
}

/// Makes bytes readable in a verdict; a long run is shortened to its length by `shorten`.
inline std::string escape(std::string_view raw) {
    static constexpr char hex[] = "0123456789abcdef";
    std::string out;
    for (const char c : raw) {
        const auto u = static_cast<unsigned char>(c);
        if (c == '\r') out += "\\r";
        else if (c == '\n') out += "\\n";
        else if (c == '\t') out += "\\t";
        else if (c == '\\') out += "\\\\";
        else if (u < 0x20 || u >= 0x7f) ((out += "\\x") += hex[u >> 4]) += hex[u & 15];
        else out += c;
    }
    return out;
}

/// The rows of a file, split at tabs, without comments. Escapes are left in.
inline std::vector<std::vector<std::string>> read(const std::string& file, std::size_t columns) {
    const std::string path = std::string(RONDO_TEST_DATA_DIR) + "/http/cases/" + file;
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path);
    std::vector<std::vector<std::string>> rows;
    std::string line;
    while (std::getline(in, line)) {
        if (line.empty() || line.front() == '#') continue;
        std::vector<std::string> row(1);
        for (const char c : line) {
            if (c == '\t') row.emplace_back();
            else row.back() += c;
        }
        if (row.size() != columns) throw std::runtime_error("bad row in " + path + ": " + line);
        rows.push_back(std::move(row));
    }
    if (rows.empty()) throw std::runtime_error("no rows in " + path);
    return rows;
}

/// The same escapes in the same form on both sides: "\R{3,a}" and "aaa" compare equal.
inline std::string plain(std::string_view verdict) {
    std::string out;
    std::size_t from = 0;
    while (true) {
        const std::size_t at = verdict.find("\\R{", from);
        if (at == std::string_view::npos) return out.append(verdict.substr(from));
        const std::size_t end = verdict.find('}', at) + 1;
        out.append(verdict.substr(from, at - from)).append(escape(unescape(verdict.substr(at, end - at))));
        from = end;
    }
}

}  // namespace cases
