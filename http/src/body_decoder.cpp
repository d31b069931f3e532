#include <rondo/http/body_decoder.hpp>

#include "grammar.hpp"

namespace rondo::inline v0 {
namespace http {

using detail::chars;

body_decoder::body_decoder(const framing& f, const limits& l) noexcept : limits_(l), how_(f.how) {
    switch (how_) {
        case framing::kind::none: state_ = state::done; break;
        case framing::kind::length:
            left_ = f.length;
            if (left_ == 0) state_ = state::done;
            if (left_ > l.body()) fail(errc::body_too_large, nullptr);
            break;
        case framing::kind::chunked: state_ = state::size_first; break;
        // Only a byte beyond the limit is an error: at the limit the connection may still end.
        case framing::kind::until_close: left_ = l.body(); break;
    }
}

const char* body_decoder::fail(errc e, const char* p) noexcept {
    state_ = state::failed;
    error_ = e;
    return p;
}

void body_decoder::end() noexcept {
    if (state_ == state::done || state_ == state::failed) return;
    if (how_ == framing::kind::until_close) state_ = state::done;
    else fail(errc::incomplete, nullptr);
}

body_decoder::piece body_decoder::feed(bytes in) {
    const char* const begin = in.text().data();
    const char* const end = begin + in.size();
    const char* p = begin;
    while (p != end && state_ != state::done && state_ != state::failed) {
        if (state_ == state::data) {
            if (left_ == 0) {  // only a body without a length comes here
                fail(errc::body_too_large, p);
                break;
            }
            const auto got = static_cast<std::size_t>(end - p) < left_ ? static_cast<std::size_t>(end - p)
                                                                       : static_cast<std::size_t>(left_);
            left_ -= got;
            received_ += got;
            if (left_ == 0 && how_ == framing::kind::length) state_ = state::done;
            if (left_ == 0 && how_ == framing::kind::chunked) state_ = state::data_cr;
            const bytes data(static_cast<const void*>(p), got);
            return {static_cast<std::size_t>(p - begin) + got, data};
        }
        const char* const next = step(p, end);
        if (state_ != state::trailers) overhead_ += static_cast<std::uint64_t>(next - p);
        p = next;
    }
    return {static_cast<std::size_t>(p - begin), {}};
}

// Counts extension bytes, from the ";" on, against their budget.
const char* body_decoder::extension(const char* p, const char* to) noexcept {
    const std::size_t room = limits_.chunk_extensions() - extensions_;
    if (static_cast<std::size_t>(to - p) > room) return fail(errc::chunk_overhead, p + room);
    extensions_ += static_cast<std::size_t>(to - p);
    return to;
}

// What may follow a complete name or value: another extension, or the end of the line.
const char* body_decoder::after_extension_part(const char* p) noexcept {
    if (*p == '\r') {
        state_ = state::size_lf;
        return p + 1;
    }
    if (*p != ';') return fail(errc::bad_chunk, p);
    state_ = state::name_first;
    return extension(p, p + 1);
}

errc body_decoder::close_size() noexcept {
    if (left_ > limits_.body() - received_) return errc::body_too_large;
    if (overhead_ > received_ + limits_.chunk_overhead()) return errc::chunk_overhead;
    return errc::none;
}

// One byte, or one run of bytes of a kind. White space (BWS) is refused everywhere in a chunk line: no client
// sends it, and readers disagree about it.
const char* body_decoder::step(const char* p, const char* end) {
    switch (state_) {
        case state::size_first:
            if (!detail::is(chars::hex, *p)) return fail(errc::bad_chunk, p);
            left_ = 0;
            digits_ = 0;
            state_ = state::size;
            return p;

        case state::size:
            if (!detail::is(chars::hex, *p)) return after_extension_part(p);
            if (++digits_ > 16) return fail(errc::bad_chunk, p);
            left_ = (left_ << 4) | detail::hex_value(*p);
            return p + 1;

        case state::name_first:
            if (!detail::is(chars::token, *p)) return fail(errc::bad_chunk, p);
            state_ = state::name;
            return p;

        case state::name: {
            const char* const stop = extension(p, detail::skip(chars::token, p, end));
            if (stop == end || state_ == state::failed) return stop;
            if (*stop != '=') return after_extension_part(stop);
            state_ = state::value_first;
            return extension(stop, stop + 1);
        }

        case state::value_first:
            if (*p == '"') {
                state_ = state::quoted;
                return extension(p, p + 1);
            }
            if (!detail::is(chars::token, *p)) return fail(errc::bad_chunk, p);
            state_ = state::value;
            return p;

        case state::value: {
            const char* const stop = extension(p, detail::skip(chars::token, p, end));
            return stop == end || state_ == state::failed ? stop : after_extension_part(stop);
        }

        case state::quoted: {
            const char* const stop = extension(p, detail::skip(chars::quoted, p, end));
            if (stop == end || state_ == state::failed) return stop;
            if (*stop != '"' && *stop != '\\') return fail(errc::bad_chunk, stop);
            state_ = *stop == '"' ? state::quoted_end : state::quoted_pair;
            return extension(stop, stop + 1);
        }

        case state::quoted_pair:
            if (!detail::is(chars::value, *p)) return fail(errc::bad_chunk, p);
            state_ = state::quoted;
            return extension(p, p + 1);

        case state::quoted_end: return after_extension_part(p);

        case state::size_lf:
            if (*p != '\n') return fail(errc::bad_chunk, p);
            if (const errc e = close_size(); e != errc::none) return fail(e, p);
            state_ = left_ == 0 ? state::trailers : state::data;
            if (left_ == 0) fields_.start(limits_.head(), limits_.fields(), detail::field_parser::folds::refused);
            return p + 1;

        case state::data_cr:
            if (*p != '\r') return fail(errc::bad_chunk, p);
            state_ = state::data_lf;
            return p + 1;

        case state::data_lf:
            if (*p != '\n') return fail(errc::bad_chunk, p);
            state_ = state::size_first;
            return p + 1;

        case state::trailers:
            p += fields_.feed({p, static_cast<std::size_t>(end - p)}, trailers_);
            if (fields_.error() != errc::none) return fail(fields_.error(), p);
            if (fields_.done()) state_ = state::done;
            return p;

        case state::data:
        case state::done:
        case state::failed: break;
    }
    return p;
}

}  // namespace http
}  // namespace rondo::inline v0
