// The branches of a select, and the leaf that stands for all of them.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>
#include <variant>

#include <rondo/detail/awaitable.hpp>
#include <rondo/detail/nonvoid.hpp>

namespace rondo::inline v0::detail {

/// An operation of which nothing has to be undone when another one happens: it takes its result in at_once(), or when
/// it is woken, and is unlinked at once.
template <class Op>
concept selectable = bare_operation<Op> && requires(Op& op) {
    { op.at_once() } noexcept -> std::same_as<bool>;
    { op.arm() } noexcept;
    { op.disarm() } noexcept;
};

class select_base;

struct select_ops : leaf_ops {
    /// Disarms all branches but `happens`, which may be nullptr.
    void (*settle)(select_base&, const leaf* happens) noexcept;
};

class RONDO_API select_base : public leaf {
public:
    select_base& operator=(const select_base&) = delete;
    /// A branch happens: the others are left as if they had never been.
    void happens(const leaf& branch) noexcept;

protected:
    explicit select_base(const select_ops& o) noexcept : leaf(o) {}
    select_base(const select_base& other) noexcept : leaf(*other.ops) {}  // before it begins
    ~select_base() = default;

    static void cancel(leaf& l, worklist&) noexcept;
    static void describe_start(report_line& out, std::size_t branches);
    static void describe_branch(report_line& out, const leaf& branch, bool first);
};

/// A branch whose outcome is given as it is.
template <selectable Op>
class plain_case {
public:
    static constexpr bool has_handler = false;
    static constexpr bool is_otherwise = false;
    using result = decltype(std::declval<Op&>().finish());

    explicit plain_case(Op&& op) : op_(std::move(op)) {}

    const leaf* node() const noexcept { return &op_; }
    bool at_once() noexcept { return op_.at_once(); }
    void arm(job* j) noexcept {
        op_.waiting = j;
        op_.arm();
    }
    void disarm() noexcept { op_.disarm(); }
    bool failed() const noexcept { return op_.failed(); }
    result finish() { return op_.finish(); }

private:
    Op op_;
};

template <class Op, class F>
struct handled : std::invoke_result<F&, decltype(std::declval<Op&>().finish())> {};
template <class Op, class F>
    requires std::is_void_v<decltype(std::declval<Op&>().finish())>
struct handled<Op, F> : std::invoke_result<F&> {};
template <class Op, class F>
concept handles = requires { typename handled<Op, F>::type; };

}  // namespace rondo::inline v0::detail
