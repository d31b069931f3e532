#pragma once

#include <vector>

#include <rondo/error.hpp>
#include <rondo/export.hpp>

namespace rondo::inline v0 {

/// Nobody succeeded: what when_any and promise::any throw when all have failed. Holds what each failed with, in the
/// order of the arguments.
class RONDO_API aggregate_error : public error {
public:
    explicit aggregate_error(std::vector<v0::fault> faults);
    ~aggregate_error() override;
    const std::vector<v0::fault>& faults() const noexcept { return faults_; }

private:
    std::vector<v0::fault> faults_;
};

}  // namespace rondo::inline v0
