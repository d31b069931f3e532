// Children whose ends are taken one at a time, in the order in which they come.
#pragma once

#include <cstddef>
#include <vector>

#include <rondo/detail/combinator.hpp>

namespace rondo::inline v0::detail {

class group_wait;

/// A combinator that nobody awaits as a whole; it lives in a block of its own, which its handle owns until it is let
/// go. The context knows it from its start to the end of its last child.
class RONDO_API group : public combinator {
public:
    /// The child whose end is next in line, or nullptr.
    child_job* pop_ended() noexcept;
    bool has_ended() const noexcept { return next_ended_ < ended_.size(); }
    bool all_ended() const noexcept { return running_ == 0; }
    void cancel_all(cancel_reason why) noexcept { cancel_children(why); }
    /// The handle is gone: cancels the children; the job that made it ends after them, and the group frees itself.
    /// Whoever waits for an end gets errc::closed.
    void let_go() noexcept;

    struct group_ops {
        void (*destroy)(group&) noexcept;
        /// The child's coroutine was destroyed: its task goes.
        void (*drop)(child_job&) noexcept;
    };

protected:
    explicit group(const group_ops& own) noexcept : combinator(ops_table), own_(&own) {}
    ~group() = default;
    /// Before the children are started.
    void get_ready(std::size_t count);
    template <class Child>
    void start(std::vector<Child>& children) {
        get_ready(children.size());
        if (!start_each(children) && !children.empty()) end();
    }

private:
    friend class context;
    friend class group_wait;
    void add_running(std::vector<job*>& to) const;
    /// Nobody ends after it but the run.
    void disown() noexcept;
    /// The coroutines of its children were destroyed: they have ended.
    void give_up() noexcept;
    void close_waiter() noexcept;
    void end() noexcept;
    static void child_done(combinator& owner, child_job& c) noexcept;
    static void all_done(combinator& owner) noexcept;
    static const combinator_ops ops_table;

    std::vector<child_job*> ended_;
    std::size_t next_ended_ = 0;
    std::size_t running_ = 0;
    group_wait* waiter_ = nullptr;
    const group_ops* own_;
    group* prev_ = nullptr;  // in the context's list
    group* next_ = nullptr;
    job* owner_ = nullptr;
    bool let_go_ = false;
};

/// Waits for a group's next end, or for all of them.
class RONDO_API group_wait : public leaf {
public:
    group_wait& operator=(const group_wait&) = delete;

protected:
    group_wait(group& g, bool for_all) noexcept
        : leaf(for_all ? finish_ops : next_ops), group_(&g), for_all_(for_all) {}
    group_wait(const group_wait& other) noexcept  // before it begins
        : leaf(other), group_(other.group_), for_all_(other.for_all_) {}
    ~group_wait() { leave(); }
    bool wait() noexcept;
    /// The wait is over. Throws errc::busy when another job waits already, errc::closed when the group was let go.
    void check();

    group* group_;

private:
    friend class group;
    static void cancel_next(leaf& l, worklist& list) noexcept;
    static void ignore_cancel(leaf&, worklist&) noexcept {}
    static void describe(const leaf& l, report_line& out);
    /// From wait() to check() it is the group's waiter, so that nobody else takes the end it was woken for.
    void leave() noexcept {
        if (group_ != nullptr && group_->waiter_ == this) group_->waiter_ = nullptr;
    }
    bool is_armed() const noexcept { return waiting->leaf == this; }
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
    void finish() { check(); }
};

}  // namespace rondo::inline v0::detail
