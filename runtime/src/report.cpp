#include <rondo/report.hpp>

#include <atomic>
#include <cstdio>

#include "context.hpp"

namespace rondo::inline v0 {

namespace {

void to_stderr(std::string_view text) {
    std::fprintf(stderr, "rondo: %.*s\n", static_cast<int>(text.size()), text.data());
}

constinit std::atomic<report_handler> handler{&to_stderr};

}  // namespace

report_handler on_report(report_handler h) noexcept { return handler.exchange(h != nullptr ? h : &to_stderr); }

void report(std::string_view text) { handler.load()(text); }

std::string dump_jobs() {
    if (detail::tls.context == nullptr) detail::throw_no_context();
    return detail::tls.context->dump();
}

}  // namespace rondo::inline v0
