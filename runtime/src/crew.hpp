// The contexts of one run: the first, which leads, and those on threads of their own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <rondo/detail/remote.hpp>
#include <rondo/detail/submitted.hpp>
#include <rondo/runtime_options.hpp>

#include "blocking_pool.hpp"
#include "context_thread.hpp"

namespace rondo::inline v0::detail {

class crew {
public:
    /// On the leader's thread, when its context runs here. Throws when a context cannot be made.
    crew(const runtime_options& options, submitted_list& first);
    ~crew();
    crew(const crew&) = delete;
    crew& operator=(const crew&) = delete;

    std::size_t size() const noexcept { return others_.size() + 1; }
    const remote_context& home(std::size_t index) const noexcept;
    submitted_list& list(std::size_t index) const noexcept;
    const std::shared_ptr<blocking_pool>& pool() const noexcept { return pool_; }
    /// Asks the others to end.
    void stop(std::optional<std::int64_t> grace) noexcept;
    /// Waits for the others' end.
    void join();

private:
    remote_context first_;
    submitted_list& first_list_;
    std::shared_ptr<blocking_pool> pool_;
    std::vector<std::unique_ptr<context_thread>> others_;
};

}  // namespace rondo::inline v0::detail
