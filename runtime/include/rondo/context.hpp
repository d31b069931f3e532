#pragma once

#include <cstddef>
#include <utility>

#include <rondo/detail/remote.hpp>
#include <rondo/export.hpp>
#include <rondo/metrics.hpp>

namespace rondo::inline v0 {

namespace detail {
class submitted_list;
}

/// Names one of the contexts of a run: a thread with its own ring, ready queue and timers, which shares nothing with
/// the others. A value: copies name the same context.
///
///     rondo::run(rondo::runtime_options().threads(4), serve());
///     … co_await rondo::on(rondo::context::at(2), work());
///
/// A run has as many as runtime_options::threads says; its task runs on number 0. While a handle to a context exists,
/// that context does not take the lack of anything to wait for as a deadlock.
/// Lifetime: may outlive the run; `on` such a context fails. Thread safety: any thread.
class RONDO_API context {
public:
    /// That of the running job. Errors: errc::no_context outside of a run.
    static context current();
    /// How many the run has that the running job belongs to. Errors: as current().
    static std::size_t count();
    /// Number `index` of this run. Errors: errc::invalid_argument when there is none; as current().
    static context at(std::size_t index);

    std::size_t index() const noexcept { return index_; }
    /// Whether the caller runs on it.
    bool is_current() const noexcept { return home_.is_current(); }
    /// What it did so far: jobs, operations, system calls, how late its timers were. Cheap: copies some sixty numbers.
    rondo::metrics metrics() const noexcept;
    friend bool operator==(const context& a, const context& b) noexcept { return a.list_ == b.list_; }

    /// What `on` needs of it.
    const detail::remote_context& home() const noexcept { return home_; }
    detail::submitted_list& list() const noexcept { return *list_; }

private:
    context(detail::remote_context home, detail::submitted_list& list, std::size_t index) noexcept
        : home_(std::move(home)), list_(&list), index_(index) {}

    detail::remote_context home_;
    detail::submitted_list* list_;
    std::size_t index_;
};

}  // namespace rondo::inline v0
