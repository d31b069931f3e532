#include <rondo/detail/spawned.hpp>

#include <rondo/error.hpp>
#include <rondo/report.hpp>

#include "context.hpp"
#include "report_line.hpp"

namespace rondo::inline v0::detail {

void spawned_job::adopt() {
    if (tls.context == nullptr) {
        refs_ = 1;  // the handle's; it was never anybody else's
        throw_no_context();
    }
    tls.context->add_spawned(*this);
}

void spawned_job::start() {
    adopt();
    make_ready(*this);
}

void spawned_job::start_now() {
    adopt();
    if (tls.depth < max_inline_depth) run(*this);
    else make_ready(*this);
}

void spawned_job::run(job& j) noexcept {
    auto& self = static_cast<spawned_job&>(j);
    promise_base& root = static_cast<const spawned_ops&>(*self.ops).root(self);
    root.set_root(self);
    if (self.reason != cancel_reason::none) {  // cancelled before its turn: never started
        root.state = settled::cancelled;
        self.ops->finish(self, root);
        return;
    }
    self.started = true;
    start_scope here;
    here.enter(self, root, root.handle());
}

void spawned_job::finish(job& j, promise_base& root) noexcept {
    auto& self = static_cast<spawned_job&>(j);
    self.end(root.state);
}

void spawned_job::give_up() noexcept {
    static_cast<const spawned_ops&>(*ops).drop_task(*this);
    end(settled::cancelled);
}

void spawned_job::end(settled how) noexcept {
    state = how;
    tls.context->remove_spawned(*this);
    waiters_.complete_all();
    drop_ref();
}

void spawned_job::drop_ref() noexcept {
    if (--refs_ != 0) return;
    const auto& o = static_cast<const spawned_ops&>(*ops);
    if (state == settled::error && !observed_) {
        std::string text = "job '" + std::string(name_) + "' spawned at " + format_location(origin_) +
                           " failed and nobody observed it: ";
        try {
            std::rethrow_exception(o.root(*this).exception);
        } catch (...) {
            text += current_fault().text();
        }
        report(text);
    }
    o.destroy(*this);
}

void spawned_job::describe(const job& j, report_line& out) {
    const auto& self = static_cast<const spawned_job&>(j);
    out.text("job ");
    out.text(self.name_);
    out.text(" (spawned at ");
    out.text(format_location(self.origin_));
    out.text(")");
}

}  // namespace rondo::inline v0::detail
