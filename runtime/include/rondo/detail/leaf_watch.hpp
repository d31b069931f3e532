// What rondo::testing sees of leaves. docs/design/cancellation.md has the table that it holds them to.
#pragma once

#include <rondo/export.hpp>

namespace rondo::inline v0::detail {

struct job;

enum class leaf_event : unsigned char {
    await,     // a job is about to wait
    refused,   // ... but it is cancelled, so nothing is started
    at_once,   // ... and need not: the result was there
    result,    // the wait is over and has a result
    ended,     // the wait is over because its job was cancelled
    cancel,    // the job is about to be marked as cancelled
    asked,     // the leaf was asked to end and has not yet
    continues  // the job runs on
};

class RONDO_API leaf_watch {
public:
    leaf_watch(const leaf_watch&) = delete;
    leaf_watch& operator=(const leaf_watch&) = delete;
    virtual void saw(leaf_event e, const job& j) noexcept = 0;

protected:
    leaf_watch() = default;
    ~leaf_watch() = default;
};

}  // namespace rondo::inline v0::detail

// Nothing at all in builds without assertions.
#ifdef NDEBUG
#define RONDO_LEAF_EVENT(event, job) static_cast<void>(0)
#else
#define RONDO_LEAF_EVENT(event, job)                \
    do {                                            \
        if (tls.watch != nullptr) [[unlikely]]      \
            tls.watch->saw(leaf_event::event, job); \
    } while (false)
#endif
