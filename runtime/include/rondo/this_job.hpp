#pragma once

#include <rondo/detail/awaitable.hpp>

namespace rondo::inline v0 {

namespace detail {

class [[nodiscard("nothing happens until it is awaited: co_await it")]] RONDO_API yield_operation : public leaf {
public:
    yield_operation() noexcept : leaf(ops_table) {}

    bool begin() noexcept {
        waiting->leaf = nullptr;
        RONDO_LEAF_EVENT(result, *waiting);
        make_ready(*waiting);
        return true;
    }
    void finish() const {
        if (tls.current->reason != cancel_reason::none) throw_cancelled();
    }

private:
    static const leaf_ops ops_table;
};

}  // namespace detail

/// About the job that runs this code.
namespace this_job {

/// Lets every other ready job run first. Cancellation: throws `cancelled`, before or after.
inline detail::yield_operation yield() noexcept { return {}; }

/// True once it was cancelled: its next wait will throw.
inline bool is_cancelled() { return detail::current_job().reason != cancel_reason::none; }
inline cancel_reason reason() { return detail::current_job().reason; }

}  // namespace this_job

}  // namespace rondo::inline v0
