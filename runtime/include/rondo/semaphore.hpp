// A number of permits, for jobs of one context.
#pragma once

#include <rondo/detail/permits.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

/// Bounds how many do something at the same time.
///
///     rondo::semaphore connections(10);
///     auto permit = co_await connections.acquire();
///     co_await fetch(url);                              // at most ten at a time; the permit goes back where it ends
///
/// First come, first served: who waits for many permits is not overtaken by those who want few. Signals are counted
/// with a maximum above the permits there are: semaphore s(0, 100), release() on one side, acquire() and forget() on
/// the other.
///
/// Lifetime: outlives its waits and permits. Thread safety: one context.
class RONDO_API semaphore {
public:
    class permit;
    class [[nodiscard("nothing happens until it is awaited: co_await it")]] acquire_operation;

    explicit semaphore(std::size_t permits) noexcept : semaphore(permits, permits) {}
    /// `maximum` is how many release() may bring them to.
    semaphore(std::size_t permits, std::size_t maximum) noexcept
        : permits_("semaphore", permits), maximum_(permits > maximum ? permits : maximum) {}
    semaphore(const semaphore&) = delete;
    semaphore& operator=(const semaphore&) = delete;

    /// Waits for n permits and takes them.
    ///
    /// Errors: errc::closed; errc::invalid_argument for more than the maximum, which nobody could ever give.
    /// Cancellation: ends at once, and those behind it go on. A job that was granted its permits before the cancel came
    /// has them.
    acquire_operation acquire(std::size_t n = 1, std::source_location where = std::source_location::current()) noexcept;
    /// Never waits: an empty permit when n are not there, somebody waits, or it is closed.
    permit try_acquire(std::size_t n = 1, std::source_location where = std::source_location::current()) noexcept;

    /// Makes n more, for those that were forgotten or as signals. (A permit's own go back by themselves.)
    /// Errors: errc::limit_exceeded when there would be more than the maximum; then none is made.
    void release(std::size_t n = 1);

    /// Neither held nor forgotten.
    std::size_t available() const noexcept { return permits_.available(); }
    std::size_t maximum() const noexcept { return maximum_; }

    /// Waits end with errc::closed, those to come too. Permits that are held stay good.
    void close() noexcept;
    bool is_closed() const noexcept { return closed_; }

private:
    detail::permits permits_;
    const std::size_t maximum_;
    bool closed_ = false;
};

/// Holds permits; gives them back where it ends. Lifetime: ends before the semaphore.
class [[nodiscard(
    "the permits go back where this ends: auto permit = co_await s.acquire();")]] RONDO_API semaphore::permit
    : private detail::held_permits {
public:
    /// Holds nothing.
    permit() noexcept = default;

    std::size_t count() const noexcept { return count_; }
    /// False when it is empty: never acquired, moved from, given back or forgotten.
    explicit operator bool() const noexcept { return from_ != nullptr; }
    /// Gives them back now.
    void release() noexcept { give_back(); }
    /// Gives them up without giving them back: the semaphore has that many less, until release() makes new ones.
    void forget() noexcept;
    /// Takes n of them out. Errors: errc::invalid_argument when it holds less; then nothing changes.
    permit split(std::size_t n);
    /// Takes those of another permit in. Errors: errc::invalid_argument when they are of another semaphore.
    void merge(permit&& other);

private:
    friend class semaphore;
    permit(detail::permits& from, std::size_t n) noexcept : held_permits(from, n) {}
};

class RONDO_API semaphore::acquire_operation : public detail::permit_waiter {
public:
    acquire_operation(semaphore& s, std::size_t n, std::source_location where) noexcept
        : permit_waiter(s.permits_, n, where), semaphore_(&s) {}

    bool begin() noexcept {
        if (semaphore_->closed_) return refuse(refusal::closed);
        if (count_ > semaphore_->maximum_) return refuse(refusal::too_many);
        return permit_waiter::begin();
    }
    permit finish() {
        if (failed()) why().raise();
        return permit(taken(), count_);
    }
    bool failed() const noexcept { return refusal_ != refusal::none; }
    result<permit> finish_result() {
        if (failed()) return why();
        return permit(taken(), count_);
    }

private:
    friend class semaphore;
    enum class refusal : unsigned char { none, closed, too_many };
    bool refuse(refusal r) noexcept {
        refusal_ = r;
        return false;
    }
    fault why() const;

    semaphore* semaphore_;
    refusal refusal_ = refusal::none;
};

inline semaphore::acquire_operation semaphore::acquire(std::size_t n, std::source_location where) noexcept {
    return {*this, n, where};
}

inline semaphore::permit semaphore::try_acquire(std::size_t n, std::source_location where) noexcept {
    return !closed_ && permits_.try_take(n, where) ? permit(permits_, n) : permit();
}

}  // namespace rondo::inline v0
