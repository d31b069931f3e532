#pragma once

#include <cstddef>
#include <cstdint>

#include <rondo/bytes.hpp>
#include <rondo/export.hpp>
#include <rondo/http/detail/field_parser.hpp>
#include <rondo/http/error.hpp>
#include <rondo/http/framing.hpp>
#include <rondo/http/headers.hpp>
#include <rondo/http/limits.hpp>

namespace rondo::inline v0 {
namespace http {

/// Takes the body out of the bytes that follow a head, in place: the data it gives are views of its input.
///
///     while (!d.done() && !d.failed() && !in.empty()) {
///         const http::body_decoder::piece p = d.feed(in);
///         use(p.data);
///         in = in.drop(p.used);
///     }
///
/// It stops after the last byte of the message; what is left of the input is the next message. When the peer
/// closes, call end(). Does no I/O. Thread safety: one thread at a time.
class RONDO_API body_decoder {
public:
    /// No body: done() from the start.
    body_decoder() noexcept : body_decoder(framing(), limits()) {}
    /// Failed from the start, with body_too_large, when the length is known and over the limit.
    body_decoder(const framing& f, const limits& l) noexcept;

    struct piece {
        std::size_t used = 0;  ///< how many bytes of the input it took
        bytes data;            ///< the body bytes among them, possibly none
    };
    /// Takes bytes until it has some data, the body ends, an error, or `in` is used up.
    piece feed(bytes in);

    /// The peer sends no more: the end of a body without a length, an error (incomplete) for any other that is
    /// not done.
    void end() noexcept;

    bool done() const noexcept { return state_ == state::done; }
    bool failed() const noexcept { return state_ == state::failed; }
    errc error() const noexcept { return error_; }
    /// Body bytes so far.
    std::uint64_t received() const noexcept { return received_; }
    /// The fields after a chunked body, once done(). Never merge them into the headers: Content-Length, Host,
    /// Authorization or anything else may stand among them.
    headers& trailers() noexcept { return trailers_; }

private:
    enum class state : unsigned char {
        data,        // of Content-Length, of a chunk, or until the end of the connection
        size_first,  // chunk-size must have a digit
        size,
        name_first,  // chunk-ext-name must have a character
        name,
        value_first,
        value,
        quoted,
        quoted_pair,
        quoted_end,
        size_lf,
        data_cr,
        data_lf,
        trailers,
        done,
        failed,
    };

    const char* step(const char* p, const char* end);
    const char* fail(errc e, const char* p) noexcept;
    const char* after_extension_part(const char* p) noexcept;
    const char* extension(const char* p, const char* to) noexcept;
    errc close_size() noexcept;

    limits limits_;
    framing::kind how_;
    state state_ = state::data;
    errc error_ = errc::none;
    unsigned digits_ = 0;
    std::uint64_t left_ = 0;  // of the body, or of this chunk
    std::uint64_t received_ = 0;
    std::uint64_t overhead_ = 0;  // framing bytes so far
    std::size_t extensions_ = 0;
    headers trailers_;
    detail::field_parser fields_;
};

}  // namespace http
}  // namespace rondo::inline v0
