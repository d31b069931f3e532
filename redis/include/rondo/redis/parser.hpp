// A strict, incremental RESP2/RESP3 parser: bytes in, whole values out, no I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rondo/bytes.hpp>
#include <rondo/error.hpp>
#include <rondo/export.hpp>
#include <rondo/redis/error.hpp>
#include <rondo/redis/value.hpp>

namespace rondo::inline v0 {
namespace redis {

/// What a parser accepts before it gives up with errc::limit_exceeded. All bounds hold per top-level value.
///
///     redis::parser p(redis::parser_limits().depth(16).reply_bytes(1 << 20));
class parser_limits {
public:
    static constexpr std::size_t max_depth = 1024;

    /// Nested aggregates; 128 unless set, never more than max_depth.
    constexpr parser_limits& depth(std::size_t n) noexcept { return depth_ = n < max_depth ? n : max_depth, *this; }
    /// Bytes on the wire; 1 GiB unless set. A length header beyond it fails at once.
    constexpr parser_limits& reply_bytes(std::size_t n) noexcept { return reply_bytes_ = n, *this; }
    /// Elements in all its aggregates together; 16 Mi unless set. A count header beyond it fails at once.
    constexpr parser_limits& elements(std::size_t n) noexcept { return elements_ = n, *this; }

    constexpr std::size_t depth() const noexcept { return depth_; }
    constexpr std::size_t reply_bytes() const noexcept { return reply_bytes_; }
    constexpr std::size_t elements() const noexcept { return elements_; }

private:
    std::size_t depth_ = 128;
    std::size_t reply_bytes_ = std::size_t{1} << 30;
    std::size_t elements_ = std::size_t{1} << 24;
};

/// Turns a byte stream from a Redis server into values.
///
///     p.feed(chunk);
///     for (;;) {
///         const auto got = p.next(v);
///         if (got == parser::event::reply) …        // the answer to the oldest unanswered command
///         else if (got == parser::event::push) …    // out of band, answers nothing
///         else break;                               // need_more, or failed: see p.error()
///     }
///
/// It resumes at any byte and never looks at a byte twice. Memory grows with the bytes that came, never with a
/// length or count a header merely claims. Pushes and attributes come out as events of their own at whatever depth
/// they stand, and are not counted as elements. Streamed strings and aggregates are joined.
/// **Errors** are final: after the first one every call gives `failed`, and the connection must be closed.
/// Sources: the RESP specification; tests/redis/cases/.
class RONDO_API parser {
public:
    enum class event : unsigned char {
        need_more,  ///< all bytes fed are used up
        reply,      ///< a whole value that answers a command
        push,       ///< an out-of-band message
        attribute,  ///< annotates the value that follows
        failed,     ///< malformed or over a limit: error() says what and where
    };

    explicit parser(parser_limits limits = parser_limits()) : limits_(limits) {}

    /// Hands over the next bytes. Only when next() has answered need_more, or at the start.
    /// Lifetime: the bytes must stay valid until next() answers need_more.
    void feed(bytes data) noexcept;

    /// The next value, in `out`. `out` is left alone by need_more and failed.
    event next(value& out);

    /// Tells the parser that the stream has ended. True when that is between two values; else false, and failed.
    bool finish();

    /// What went wrong and at which byte of the stream. Only after `failed`.
    const fault& error() const noexcept { return error_; }
    /// True when no value is half read and no attribute waits for its value.
    bool at_boundary() const noexcept;
    /// Bytes taken from the stream so far.
    std::uint64_t offset() const noexcept { return offset_; }

private:
    enum class state : unsigned char { type, line, line_end, payload, payload_cr, payload_lf, failed };
    enum class step : unsigned char { more, again, out };

    struct frame {
        redis::kind kind;
        bool streamed;
        bool annotated;    // an attribute came that still needs its value
        std::size_t left;  // elements to come; not used when streamed
        std::vector<value> items;
    };

    step on_type();
    step on_line();
    step on_line_end();
    step on_payload();
    step on_payload_end(char expected, state next);
    step take_line(std::string_view line);
    step take_length(std::string_view line);
    step open_string(std::uint64_t length);
    step open_aggregate(std::uint64_t count, bool streamed);
    step close_streamed();
    step finish_payload();
    step complete(value v);
    step fail(redis::errc code, const std::string& what);
    step fail_line(std::string_view line, std::string_view what);
    step fail_type(char c);
    bool& annotated() noexcept { return frames_.empty() ? annotated_ : frames_.back().annotated; }
    std::uint64_t used() const noexcept { return offset_ - reply_start_; }
    char take() noexcept;

    parser_limits limits_;
    bytes in_;
    std::uint64_t offset_ = 0;       // of in_'s first byte
    std::uint64_t item_start_ = 0;   // of the type byte of the value being read
    std::uint64_t reply_start_ = 0;  // of the type byte of the top-level value
    std::size_t elements_ = 0;       // declared so far by the top-level value
    std::uint64_t payload_left_ = 0;
    state state_ = state::type;
    char type_ = 0;
    bool annotated_ = false;
    bool streaming_ = false;  // inside $?, where only `;` may come
    event out_event_ = event::need_more;
    std::array<char, 4> format_{};  // `txt:` of a verbatim text
    std::uint8_t format_size_ = 0;
    std::string line_;  // the start of a line that the end of a feed has cut
    std::string text_;  // the payload so far
    std::vector<frame> frames_;
    value out_;
    fault error_;
};

}  // namespace redis
}  // namespace rondo::inline v0
