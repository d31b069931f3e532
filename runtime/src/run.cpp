#include <rondo/run.hpp>

#include <exception>
#include <optional>

#include "context.hpp"
#include "crew.hpp"
#include "report_line.hpp"
#include "stop_signals.hpp"

namespace rondo::inline v0::detail {

void main_job::finish(job& j, promise_base& root) noexcept {
    auto& self = static_cast<main_job&>(j);
    self.state = root.state;
    self.done = true;
}

void main_job::start(promise_base& root) noexcept {
    started = true;
    root.set_root(*this);
    tls.called_at = std::source_location();
    enter(*this, root.handle());
}

void main_job::describe(const job&, report_line& out) { out.text("job main"); }

void main_job::check() const {
    if (state == settled::cancelled)
        throw error(fault(errc::cancelled, "the main task")
                        .detail(stopped_by == 0 ? std::string("reason: ") + to_string(reason)
                                                : "stopped by " + signal_name(stopped_by)));
}

void run_main(const runtime_options& options, main_job& main) {
    if (tls.context != nullptr)
        throw error(fault(errc::busy, "rondo::run").detail("this thread runs a context already"));
    context c(options);
    const activation here(c);
    submitted_list sent_here;
    std::optional<crew> others;
    if (options.threads() > 1) others.emplace(options, sent_here);
    c.take_part(others ? &*others : nullptr, 0, sent_here);
    std::optional<stop_signals> signals;
    if (options.stop_signals() != 0) {
        c.listen();
        signals.emplace(options.stop_signals(), c.remote(), c.stop_message());
    }
    std::exception_ptr deadlock;
    try {
        c.run(main, main.done);
    } catch (...) {
        deadlock = std::current_exception();
        if (!main.done) main.drop_task(main);  // its coroutines were destroyed; their owner skips them only now
    }
    // All end at once: jobs of one may wait for those of another.
    if (others) others->stop(std::nullopt);
    c.drain(options.grace().count());
    if (signals) main.stopped_by = signals->caught();
    signals.reset();
    sent_here.abandon();
    if (others) others->join();
    if (deadlock) std::rethrow_exception(deadlock);
}

}  // namespace rondo::inline v0::detail
