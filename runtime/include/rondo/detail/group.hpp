// Children whose ends are taken one at a time, in the order in which they come.
#pragma once

#include <cstddef>
#include <vector>

#include <rondo/detail/combinator.hpp>

namespace rondo::inline v0::detail {

class group_wait;

/// A combinator that nobody awaits as a whole; it lives in a block of its own, which its handle owns until it is let
/// go.
class RONDO_API group : public combinator {
public:
    /// The child whose end is next in line, or nullptr.
    child_job* pop_ended() noexcept;
    bool has_ended() const noexcept { return next_ended_ < ended_.size(); }
    bool all_ended() const noexcept { return running_ == 0; }
    void cancel_all(cancel_reason why) noexcept { cancel_children(why); }
    /// The handle is gone: cancels the children; the current job ends after them, and the group frees itself.
    void let_go() noexcept;

protected:
    explicit group(void (*destroy)(group&) noexcept) noexcept : combinator(ops_table), destroy_(destroy) {}
    ~group() = default;
    /// Before the children are started.
    void get_ready(std::size_t count);

private:
    friend class context;
    friend class group_wait;
    static void child_done(combinator& owner, child_job& c) noexcept;
    static void all_done(combinator& owner) noexcept;
    static const combinator_ops ops_table;

    std::vector<child_job*> ended_;
    std::size_t next_ended_ = 0;
    std::size_t running_ = 0;
    group_wait* waiter_ = nullptr;
    void (*destroy_)(group&) noexcept;
    group* prev_ = nullptr;  // in the context's list of groups let go
    group* next_ = nullptr;
    job* owner_ = nullptr;
    bool let_go_ = false;
};

/// Waits for a group's next end, or for all of them.
class RONDO_API group_wait : public leaf {
protected:
    group_wait(group& g, bool for_all) noexcept
        : leaf(for_all ? finish_ops : next_ops), group_(&g), for_all_(for_all) {}
    /// Throws errc::busy when another job waits already.
    bool wait() noexcept;
    void check() const;

    group* group_;

private:
    friend class group;
    static void cancel_next(leaf& l, worklist& list) noexcept;
    static void ignore_cancel(leaf&, worklist&) noexcept {}
    static void describe(const leaf& l, report_line& out);
    static const leaf_ops next_ops;
    static const leaf_ops finish_ops;

    bool for_all_;
    bool busy_ = false;
};

class [[nodiscard("nothing happens until it is awaited: co_await it")]] group_finish final : public group_wait {
public:
    using waits_when_cancelled = void;
    explicit group_finish(group& g) noexcept : group_wait(g, true) {}
    bool begin() noexcept {
        group_->cancel_all(cancel_reason::requested);
        return wait();
    }
    void finish() const { check(); }
};

}  // namespace rondo::inline v0::detail
