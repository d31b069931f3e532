#include <rondo/metrics.hpp>

#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

#include <rondo/context.hpp>
#include <rondo/detail/frame_pool.hpp>

#include "meters.hpp"

namespace rondo::inline v0 {

namespace {

double seconds(std::chrono::nanoseconds d) noexcept { return std::chrono::duration<double>(d).count(); }

std::string format_seconds(std::chrono::nanoseconds d) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", seconds(d));
    return text;
}

struct family {
    std::string_view name;
    std::string_view help;
    std::uint64_t metrics::* field;
};

constexpr family counters[] = {
    {"turns", "Rounds of the event loop.", &metrics::turns},
    {"full_turns", "Rounds that ended with jobs still ready.", &metrics::full_turns},
    {"jobs_run", "Times a ready job was resumed.", &metrics::jobs_run},
    {"jobs_spawned", "Jobs spawned.", &metrics::jobs_spawned},
    {"jobs_ended", "Spawned jobs that ended.", &metrics::jobs_ended},
    {"budgets_spent", "Jobs sent to the back of the queue because they never had to wait.", &metrics::budgets_spent},
    {"operations", "Requests given to the kernel.", &metrics::operations},
    {"completions", "Answers of the kernel.", &metrics::completions},
    {"cancel_requests", "Requests to cancel an operation.", &metrics::cancel_requests},
    {"enters", "Calls of io_uring_enter.", &metrics::enters},
    {"parks", "Calls of io_uring_enter that were to sleep.", &metrics::parks},
    {"messages", "Messages from other threads.", &metrics::messages},
    {"wakes", "Messages that found the context asleep.", &metrics::wakes},
    {"blocking_calls", "Calls given to the blocking pool.", &metrics::blocking_calls},
    {"buffers_exhausted", "Receives that found no free buffer.", &metrics::buffers_exhausted},
    {"completion_overflows", "Times the completion queue was full.", &metrics::completion_overflows},
};

constexpr family gauges[] = {
    {"ready_jobs", "Jobs that the last turn found ready, at most 256.", &metrics::ready_now},
    {"armed_timers", "Timers armed.", &metrics::timers_now},
    {"leased_buffers", "Receive buffers in use.", &metrics::buffers_leased_now},
};

class exposition {
public:
    void head(std::string_view name, std::string_view help, std::string_view type) {
        for (const std::string_view part : {std::string_view("# HELP rondo_"), name, std::string_view(" "), help,
                                            std::string_view("\n# TYPE rondo_"), name, std::string_view(" "), type})
            out_ += part;
        out_ += '\n';
    }
    void sample(std::string_view name, std::string_view labels, std::string_view value) {
        ((out_ += "rondo_") += name) += labels;
        ((out_ += ' ') += value) += '\n';
    }
    std::string take() { return std::move(out_); }

private:
    std::string out_;
};

std::string label(std::size_t context, const std::string& more = {}) {
    return "{context=\"" + std::to_string(context) + "\"" + more + "}";
}

void write_lateness(exposition& out, std::size_t context, const metrics& m) {
    const duration_histogram& h = m.timer_lateness;
    std::uint64_t below = 0;
    for (std::size_t i = 0; i + 1 < duration_histogram::size; ++i) {
        below += h.counts[i];
        const std::string bound = ",le=\"" + format_seconds(duration_histogram::bound(i)) + "\"";
        out.sample("timer_lateness_seconds_bucket", label(context, bound), std::to_string(below));
    }
    const std::string all = std::to_string(h.total());
    out.sample("timer_lateness_seconds_bucket", label(context, ",le=\"+Inf\""), all);
    out.sample("timer_lateness_seconds_sum", label(context), format_seconds(m.total_timer_lateness));
    out.sample("timer_lateness_seconds_count", label(context), all);
}

}  // namespace

std::chrono::nanoseconds duration_histogram::percentile(double part) const noexcept {
    const std::uint64_t all = total();
    if (all == 0) return std::chrono::nanoseconds(0);
    const auto wanted = static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(all)));
    std::uint64_t below = 0;
    for (std::size_t i = 0; i + 1 < size; ++i) {
        below += counts[i];
        if (below >= wanted && below != 0) return bound(i);
    }
    return bound(size - 1);
}

metrics detail::meters::snapshot() const noexcept {
    metrics m;
    m.turns = turns.get();
    m.full_turns = full_turns.get();
    m.jobs_run = jobs_run.get();
    m.jobs_spawned = jobs_spawned.get();
    m.jobs_ended = jobs_ended.get();
    m.budgets_spent = budgets_spent.get();
    m.operations = operations.get();
    m.completions = completions.get();
    m.cancel_requests = cancel_requests.get();
    m.enters = enters.get();
    m.parks = parks.get();
    m.messages = messages.get();
    m.wakes = wakes.get();
    m.blocking_calls = blocking_calls.get();
    m.buffers_exhausted = buffers_exhausted.get();
    m.completion_overflows = completion_overflows.get();
    m.timers_fired = timers_fired.get();
    for (std::size_t i = 0; i < duration_histogram::size; ++i) m.timer_lateness.counts[i] = timer_lateness[i].get();
    m.max_timer_lateness = std::chrono::nanoseconds(max_timer_lateness.get());
    m.total_timer_lateness = std::chrono::nanoseconds(total_timer_lateness.get());
    m.ready_now = ready_now.get();
    m.timers_now = timers_now.get();
    m.buffers_leased_now = buffers_leased_now.get();
    return m;
}

std::string prometheus_text() {
    std::vector<metrics> all;
    all.reserve(context::count());
    for (std::size_t i = 0; i < context::count(); ++i) all.push_back(context::at(i).metrics());
    exposition out;
    for (const family& f : counters) {
        const std::string name = std::string(f.name) + "_total";
        out.head(name, f.help, "counter");
        for (std::size_t i = 0; i < all.size(); ++i) out.sample(name, label(i), std::to_string(all[i].*f.field));
    }
    for (const family& f : gauges) {
        out.head(f.name, f.help, "gauge");
        for (std::size_t i = 0; i < all.size(); ++i) out.sample(f.name, label(i), std::to_string(all[i].*f.field));
    }
    out.head("timer_lateness_seconds", "From a timer's deadline to its firing.", "histogram");
    for (std::size_t i = 0; i < all.size(); ++i) write_lateness(out, i, all[i]);
    out.head("timer_lateness_max_seconds", "The latest timer so far.", "gauge");
    for (std::size_t i = 0; i < all.size(); ++i)
        out.sample("timer_lateness_max_seconds", label(i), format_seconds(all[i].max_timer_lateness));
    out.head("frame_bytes", "Memory held for coroutine frames, of the whole process.", "gauge");
    out.sample("frame_bytes", "", std::to_string(detail::reserved_frame_bytes()));
    return out.take();
}

}  // namespace rondo::inline v0
