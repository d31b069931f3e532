// What every fuzzer makes of the bytes it is given, and how it says that something is wrong.
#pragma once

#include <sanitizer/allocator_interface.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <rondo/bytes.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

/// Ends the program, which libFuzzer reports with the input that led there.
inline void require(bool holds, std::string_view sentence) {
    if (holds) return;
    std::fprintf(stderr, "\nwrong: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
    std::abort();
}

/// Two texts that must be the same; shows both if they are not.
inline void require_same(std::string_view a, std::string_view b, std::string_view sentence) {
    if (a == b) return;
    std::fprintf(stderr, "\none:   %.*s\nother: %.*s\n", static_cast<int>(a.size()), a.data(),
                 static_cast<int>(b.size()), b.data());
    require(false, sentence);
}

/// Settings, cuts, and the bytes from the wire. Printable settings make readable corpus files: "00+OK".
class input {
public:
    input(const std::uint8_t* data, std::size_t size) noexcept
        : settings(size > 0 ? data[0] : 0), cuts(size > 1 ? data[1] : 0) {
        if (size > 2) wire = {reinterpret_cast<const char*>(data) + 2, size - 2};
    }

    std::uint8_t settings;
    std::uint8_t cuts;
    std::string_view wire;
};

/// The wire in pieces. Each piece lies in memory of exactly its size, and is gone when the next one comes, so that
/// AddressSanitizer sees a parser read beyond it or keep a pointer into it.
class pieces {
public:
    /// In one piece.
    explicit pieces(std::string_view wire) noexcept : wire_(wire), at_most_(wire.size()), cut_(wire.size()) {}
    /// Cut in two somewhere (cuts of 128 and more), or everywhere, into pieces of up to cuts + 1 bytes.
    pieces(std::string_view wire, std::uint8_t cuts) noexcept
        : wire_(wire),
          at_most_(cuts >= 128 ? wire.size() : std::size_t{cuts} + 1),
          cut_(cuts >= 128 ? wire.size() * (cuts - std::size_t{128}) / 128 : 0),
          state_(cuts) {}

    /// False when there is nothing left. Good until the next call.
    bool next(rondo::bytes& piece) {
        if (wire_.empty()) return false;
        std::size_t n = at_most_;
        if (cut_ != 0) n = std::exchange(cut_, 0);
        else if (at_most_ > 1 && at_most_ <= 128) n = 1 + random() % at_most_;
        n = std::min(n, wire_.size());
        copy_ = std::make_unique_for_overwrite<char[]>(n);
        std::memcpy(copy_.get(), wire_.data(), n);
        wire_.remove_prefix(n);
        piece = rondo::bytes(static_cast<const void*>(copy_.get()), n);
        return true;
    }

private:
    std::uint32_t random() noexcept { return (state_ = state_ * 1664525 + 1013904223) >> 16; }

    std::string_view wire_;
    std::size_t at_most_;
    std::size_t cut_;
    std::uint32_t state_ = 0;
    std::unique_ptr<char[]> copy_;
};

/// How many bytes the heap held at most since the object was made, beyond what it held then.
class held_memory {
public:
    held_memory() noexcept {
        static const int installed = __sanitizer_install_malloc_and_free_hooks(taken, given_back);
        require(installed > 0, "the sanitizer counts allocations");
        now = peak = 0;
    }
    static std::size_t most() noexcept { return static_cast<std::size_t>(peak); }

private:
    static void taken(const volatile void*, std::size_t size) noexcept {
        now += static_cast<std::int64_t>(size);
        peak = std::max(peak, now);
    }
    static void given_back(const volatile void* p) noexcept {
        if (p != nullptr) now -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(p));
    }
    static inline std::int64_t now = 0, peak = 0;
};

}  // namespace fuzz
