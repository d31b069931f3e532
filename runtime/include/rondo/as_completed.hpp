#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <rondo/detail/awaitable_range.hpp>
#include <rondo/detail/group.hpp>

namespace rondo::inline v0 {

namespace detail {

template <class Child>
class completion_group final : public group {
public:
    explicit completion_group(std::vector<Child> children) noexcept : group(own), children_(std::move(children)) {}
    void start() { group::start(children_); }
    std::size_t index(const child_job& c) const noexcept {
        return static_cast<std::size_t>(static_cast<const Child*>(&c) - children_.data());
    }

private:
    static void destroy(group& g) noexcept { delete static_cast<completion_group*>(&g); }
    static void drop(child_job& c) noexcept { static_cast<Child&>(c).drop(); }
    static constexpr group_ops own{&destroy, &drop};

    std::vector<Child> children_;
};

template <class Child>
class [[nodiscard("nothing happens until it is awaited: co_await it")]] next_operation : public group_wait {
public:
    using value_type = std::optional<std::pair<std::size_t, result<typename Child::value_type>>>;

    explicit next_operation(completion_group<Child>& g) noexcept : group_wait(g, false) {}
    bool begin() noexcept { return wait(); }
    value_type finish() {
        check();
        child_job* const c = group_->pop_ended();
        if (c == nullptr) return std::nullopt;
        auto& child = static_cast<Child&>(*c);
        const std::size_t index = static_cast<completion_group<Child>*>(group_)->index(child);
        value_type out(std::in_place, index, child.take_result());
        child.drop();  // its frame is not needed while others run on
        return out;
    }
};

}  // namespace detail

/// The children of as_completed(): takes their ends in the order in which they come.
template <class Child>
class [[nodiscard]] completion_stream {
public:
    explicit completion_stream(std::vector<Child> children)
        : completion_stream(*new detail::completion_group<Child>(std::move(children))) {
        group_->start();  // throws outside a run; *this is complete by then, and frees the group
    }
    completion_stream(completion_stream&& other) noexcept : group_(std::exchange(other.group_, nullptr)) {}
    completion_stream& operator=(completion_stream&&) = delete;
    ~completion_stream() {
        if (group_ != nullptr) group_->let_go();
    }

    /// The next end: index and result; std::nullopt after the last. One job at a time.
    /// Cancellation: cancels the children and throws at once; finish() then waits for them.
    detail::next_operation<Child> next() noexcept { return detail::next_operation<Child>(group()); }

    /// Cancels what still runs and waits for it, also in a cancelled job. Results not taken are dropped.
    detail::group_finish finish() noexcept { return detail::group_finish(group()); }

private:
    explicit completion_stream(detail::completion_group<Child>& g) noexcept : group_(&g) {}
    detail::completion_group<Child>& group() const noexcept {
        if (detail::checks_calls && group_ == nullptr) [[unlikely]]
            detail::programmer_error("a stream of as_completed that was moved from is used");
        return *group_;
    }

    detail::completion_group<Child>* group_;
};

/// Starts all tasks of a range and gives their ends in completion order.
///
///     auto s = rondo::as_completed(std::move(tasks));
///     while (auto done = co_await s.next()) use(done->first, done->second);   // index, result<T>
///
/// (g++ 12: the declaration in the condition is the safe form.)
/// Errors: each child's is in its result; next() itself throws errc::busy when two jobs wait at once.
/// Lifetime: the children run at most as long as the job that made them. Destroying the stream cancels them without
/// waiting, and the job ends after them: they must not refer to locals of the scope that is left; co_await finish()
/// first when they do. A stream that outlives the job, because it was moved out of it, has its children cancelled and
/// awaited at the job's end; one that outlives the run only keeps results. A job that waits in next() while another
/// destroys the stream gets errc::closed. Thread safety: one context.
template <class R>
    requires detail::awaitable_range<R>
auto as_completed(R&& range) {
    static_assert(!std::is_lvalue_reference_v<R>, "the range's tasks are moved out of it: pass std::move(range)");
    return completion_stream(detail::make_children(range));
}

}  // namespace rondo::inline v0
