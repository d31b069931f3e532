#pragma once

#include <optional>

#include <rondo/detail/awaitable.hpp>
#include <rondo/time.hpp>

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

/// The earliest deadline that it runs under (with_timeout, with_deadline), its own or one around the combinator, scope
/// or timeout that it is a child of; std::nullopt without one. A spawned job is nobody's child: it starts without.
/// Costs a walk up the tree, so nothing while nobody asks. Errors: errc::no_context outside of a run.
RONDO_API std::optional<time_point> deadline();
/// What spawn called it, or that of the spawned job that it works for; "main" for the main task. Errors: as deadline().
RONDO_API const char* name();

}  // namespace this_job

}  // namespace rondo::inline v0
