// The RESP parser: the same values and the same error at the same byte however the stream is cut, values that survive
// being written and read again, limits and memory held, and a parser that stays failed once it has failed.
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rondo/redis/convert.hpp>
#include <rondo/redis/encoder.hpp>
#include <rondo/redis/parser.hpp>
#include <rondo/redis/value.hpp>

#include "fuzz/input.hpp"

namespace {

namespace redis = rondo::redis;
using fuzz::require;
using fuzz::require_same;
using redis::kind;
using redis::parser;
using redis::value;

redis::parser_limits limits_of(std::uint8_t settings) {
    switch (settings & 3) {
        case 1: return redis::parser_limits().depth(4).reply_bytes(64).elements(8);
        case 2: return redis::parser_limits().depth(12).reply_bytes(512).elements(40);
        case 3: return redis::parser_limits().depth(1).reply_bytes(20).elements(3);
        default: return redis::parser_limits();
    }
}

// --- a value as RESP3 bytes, written without a look at the library's own code

void write_counted(std::string& out, char type, std::size_t n) { (out += type).append(std::to_string(n)) += "\r\n"; }

void write_text(std::string& out, char type, std::string_view text) {
    write_counted(out, type, text.size());
    out.append(text) += "\r\n";
}

void write(std::string& out, const value& v) {
    switch (v.kind()) {
        case kind::null: out += "_\r\n"; return;
        case kind::string: write_text(out, '$', v.text()); return;
        case kind::simple: (out += '+').append(v.text()) += "\r\n"; return;
        case kind::verbatim: write_text(out, '=', std::string(v.format()) + ":" + std::string(v.text())); return;
        case kind::integer: (out += ':').append(std::to_string(v.integer())) += "\r\n"; return;
        case kind::boolean: out += v.boolean() ? "#t\r\n" : "#f\r\n"; return;
        case kind::big_number: (out += '(').append(v.text()) += "\r\n"; return;
        case kind::error: write_text(out, '!', v.text()); return;
        case kind::real: {
            char digits[32];
            const auto end = std::to_chars(digits, digits + sizeof digits, v.real());
            if (std::isnan(v.real())) out += ",nan\r\n";
            else (out += ',').append(digits, end.ptr) += "\r\n";
            return;
        }
        case kind::array: write_counted(out, '*', v.items().size()); break;
        case kind::map: write_counted(out, '%', v.items().size() / 2); break;
        case kind::set: write_counted(out, '~', v.items().size()); break;
        case kind::push: write_counted(out, '>', v.items().size()); break;
        case kind::attribute: write_counted(out, '|', v.items().size() / 2); break;
    }
    for (const value& item : v.items()) write(out, item);
}

// --- a run over a stream, as text

const value untouched = value::string("untouched");

std::string read(fuzz::pieces stream, const redis::parser_limits& limits, std::vector<value>& values) {
    std::string seen;
    parser p(limits);
    std::uint64_t fed = 0;
    parser::event event = parser::event::need_more;
    rondo::bytes piece;
    while (event != parser::event::failed && stream.next(piece)) {
        p.feed(piece);
        fed += piece.size();
        for (;;) {
            value v = untouched;
            event = p.next(v);
            if (event == parser::event::need_more || event == parser::event::failed) {
                require(v == untouched, "what is not a value leaves the caller's alone");
                break;
            }
            require((event == parser::event::push) == (v.kind() == kind::push), "a push is told as one");
            require((event == parser::event::attribute) == (v.kind() == kind::attribute), "so is an attribute");
            require(p.offset() <= fed, "no byte is used that has not come");
            seen += "at " + std::to_string(p.offset()) + " ";
            write(seen, v);
            values.push_back(std::move(v));
        }
        if (event == parser::event::need_more) require(p.offset() == fed, "all that came is used");
    }
    if (event != parser::event::failed) {
        const bool between = p.at_boundary();
        require(p.finish() == between, "a stream may end between two values and nowhere else");
        return seen + (between ? "whole" : p.error().text());
    }

    const std::string why = p.error().text();
    p.feed("+OK\r\n");
    value v = untouched;
    require(p.next(v) == parser::event::failed && v == untouched, "a failed parser stays failed");
    require(!p.finish() && p.error().text() == why, "and says why it failed at first");
    return seen + why;
}

// --- what must hold for each value

std::size_t depth(const value& v) {
    std::size_t deepest = 0;
    for (const value& item : v.items()) deepest = std::max(deepest, depth(item));
    const bool aggregate = v.kind() >= kind::array;
    // An empty one is never open.
    return aggregate && !v.items().empty() ? deepest + 1 : deepest;
}

std::size_t elements(const value& v) {
    std::size_t n = v.items().size();
    for (const value& item : v.items()) n += elements(item);
    return n;
}

bool is_command(const value& v) {
    if (v.kind() != kind::array || v.items().empty()) return false;
    return std::all_of(v.items().begin(), v.items().end(), [](const value& i) { return i.kind() == kind::string; });
}

value read_one(std::string_view bytes) {
    std::vector<value> values;
    read(fuzz::pieces(bytes), redis::parser_limits().depth(redis::parser_limits::max_depth), values);
    require(values.size() == 1, "what was written is one value");
    return std::move(values.front());
}

template <class T>
void check_conversion(const value& v) {
    redis::detail::conversion c("fuzz");
    T out{};
    const bool converted = redis::detail::assign(out, value(v), c);
    require(converted == !c.fault().code(), "a conversion gives a value or a fault");
}

void check(const value& v, const redis::parser_limits& limits) {
    require(depth(v) <= limits.depth(), "no deeper than the limit");
    require(elements(v) <= limits.elements(), "no more elements than the limit");
    require(v.text().size() <= limits.reply_bytes(), "no longer than the limit");
    if (v.kind() == kind::map || v.kind() == kind::attribute) require(v.items().size() % 2 == 0, "pairs are whole");
    if (v.kind() == kind::push) require(!v.items().empty(), "a push has a kind");
    for (const value& item : v.items()) require(item.kind() < kind::push, "out-of-band values are no elements");

    std::string once, twice;
    write(once, v);
    write(twice, read_one(once));
    require_same(once, twice, "a value survives being written and read");

    if (is_command(v)) {
        redis::encoder e(v.items().front().text(), v.items().size() - 1);
        for (const value& argument : v.items().subspan(1)) e.add(argument.text());
        require_same(e.encoded().text(), once, "the encoder writes what the parser has read");
        require_same(e.name(), v.items().front().text().substr(0, v.items().front().text().find("\r\n")),
                     "the encoder knows the name");
    }

    require(redis::to_string(v, 40).size() <= redis::to_string(v).size() + 3 * elements(v) + 6, "cutting shortens");
    check_conversion<std::string>(v);
    check_conversion<std::int64_t>(v);
    check_conversion<double>(v);
    check_conversion<bool>(v);
    check_conversion<std::optional<std::uint8_t>>(v);
    check_conversion<std::vector<std::optional<std::string>>>(v);
    check_conversion<std::vector<std::pair<std::string, double>>>(v);
    check_conversion<std::map<std::string, std::int64_t>>(v);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::input in(data, size);
    const redis::parser_limits limits = limits_of(in.settings);

    std::vector<value> values, in_pieces;
    const std::string whole = read(fuzz::pieces(in.wire), limits, values);
    std::size_t held = 0;
    {
        const fuzz::held_memory memory;
        const std::string cut = read(fuzz::pieces(in.wire, in.cuts), limits, in_pieces);
        held = memory.most();
        require_same(whole, cut, "cuts change nothing");
    }
    // A value is 48 bytes and its shortest form 3; the vector that holds it may be half empty, and be copied while it
    // grows. The open aggregates of a header that lies have reserved a few elements each.
    require(held <= 128 * in.wire.size() + 1024 * std::min<std::size_t>(in.wire.size(), limits.depth()) + 16384,
            "memory grows with what came, not with what was announced");
    if (in.wire.size() <= 256) {
        in_pieces.clear();
        require_same(whole, read(fuzz::pieces(in.wire, 0), limits, in_pieces), "nor does reading byte by byte");
    }
    for (const value& v : values) check(v, limits);
    return 0;
}
