#pragma once

#include <utility>

#include <rondo/bytes.hpp>
#include <rondo/detail/receive.hpp>

namespace rondo::inline v0 {
namespace net {

/// Bytes that arrived, in a buffer leased from the context: what `stream::read` gives. Empty means end of stream.
///
/// Destroying it gives the buffer back; holding many makes later reads use buffers of their own. Lifetime: may outlive
/// the stream and the run. Thread safety: one context.
class chunk {
public:
    chunk() noexcept = default;
    explicit chunk(detail::leased_buffer b) noexcept : buffer_(std::move(b)) {}

    const std::byte* data() const noexcept { return buffer_.data(); }
    std::size_t size() const noexcept { return buffer_.size(); }
    bool empty() const noexcept { return buffer_.empty(); }
    bytes view() const noexcept { return {buffer_.data(), buffer_.size()}; }
    std::string_view text() const noexcept { return view().text(); }
    operator bytes() const noexcept { return view(); }

private:
    detail::leased_buffer buffer_;
};

}  // namespace net
}  // namespace rondo::inline v0
