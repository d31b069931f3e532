// Builds the text of a job dump.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rondo/detail/job.hpp>

namespace rondo::inline v0::detail {

class report_line {
public:
    explicit report_line(std::int64_t now) noexcept : now_(now) {}

    /// For leaf_ops::describe: what is waited for.
    void text(std::string_view s) { out_ += s; }
    void number(std::int64_t n) { out_ += std::to_string(n); }
    /// "1.8 s to go" until a deadline of the context's clock.
    void remaining(std::int64_t deadline);
    /// A job that the wait contains; printed below it.
    void child(const job& j) { children_.push_back(&j); }
    const std::vector<const job*>& children() const noexcept { return children_; }
    /// For job_ops::describe.
    void job_line(std::string_view kind, const job&) { out_ += kind; }

    /// The job and, indented below, everything it waits for. Iterative: trees may be deep.
    void tree(const job& root);
    std::string take() { return std::move(out_); }

private:
    void one(const job& j, unsigned indent);

    std::int64_t now_;
    std::string out_;
    std::vector<const job*> children_;
};

/// "2 s", "1.5 ms": for messages.
std::string format_duration(std::int64_t ns);
/// "file.cpp:12", without the folders.
std::string format_location(const std::source_location& where);

}  // namespace rondo::inline v0::detail
