#include <rondo/runtime.hpp>

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <cerrno>
#include <memory>
#include <optional>
#include <thread>

#include <rondo/error.hpp>

#include "context.hpp"
#include "context_thread.hpp"
#include "kernel_ring.hpp"

namespace rondo::inline v0 {

namespace detail {

namespace {

/// A file descriptor of our own.
class descriptor {
public:
    descriptor(int fd, const char* call) : fd_(fd) {
        if (fd < 0) fault::from_errno(errno, call).raise();
    }
    ~descriptor() { ::close(fd_); }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    int get() const noexcept { return fd_; }

private:
    int fd_;
};

}  // namespace

/// What the two kinds of runtime have in common: how tasks get in.
class runtime_state {
public:
    virtual ~runtime_state() = default;
    virtual void shutdown(std::optional<std::int64_t> grace) = 0;
    virtual int fd() const { needs_polled("fd"); }
    virtual bool poll() { needs_polled("poll"); }
    virtual void send(submitted_base& s) = 0;

protected:
    explicit runtime_state(const runtime_options& o) : options(o) {
        if (o.stop_signals() != 0)
            throw error(fault(errc::invalid_argument, "runtime_options::stop_on")
                            .detail("a runtime object is shut down by its owner; the option is for rondo::run"));
    }
    runtime_options options;

private:
    [[noreturn]] static void needs_polled(const char* call) {
        throw error(fault(errc::invalid_argument, std::string("runtime::") + call)
                        .detail("this runtime has a thread of its own; make it with runtime(rondo::polled)"));
    }
};

namespace {

class threaded_runtime final : public runtime_state {
public:
    explicit threaded_runtime(const runtime_options& o) : runtime_state(o), thread_(o, nullptr, 0) {}

    void shutdown(std::optional<std::int64_t> grace) override {
        thread_.stop(grace);
        thread_.join();
    }
    void send(submitted_base& s) override { s.send(thread_.home, thread_.submitted); }

private:
    context_thread thread_;
};

class polled_runtime final : public runtime_state {
public:
    explicit polled_runtime(const runtime_options& o)
        : runtime_state(o),
          deadline_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create"),
          epoll_(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1") {
        if (options.system() != nullptr)
            throw error(fault(errc::invalid_argument, "runtime_options::system")
                            .detail("a polled runtime waits in a foreign loop, so its ring is the kernel's"));
        if (options.threads() > 1)
            throw error(fault(errc::invalid_argument, "runtime_options::threads")
                            .detail("a polled runtime lives on the one thread of the foreign loop"));
        if (tls.context != nullptr)
            throw error(fault(errc::busy, "rondo::runtime").detail("this thread runs a context already"));
        // Not an eventfd registered with a ring that defers completions: Linux 6.18 signals that once, and never again,
        // when the completion itself comes from a write to an eventfd.
        auto r = std::make_unique<kernel_ring>(options.ring_entries(), kernel_ring::waiting::on_fd);
        watch(r->fd());
        watch(deadline_.get());
        context_.emplace(options, std::move(r));
        const activation here(*context_, state_);
        context_->take_part(nullptr, 0, submitted_);
        home_ = remote_context::current();
        context_->poll();  // from now on a submission makes the fd readable
    }
    ~polled_runtime() override {
        if (context_) shutdown(std::nullopt);
    }

    int fd() const override { return epoll_.get(); }
    void send(submitted_base& s) override { s.send(home_, submitted_); }

    bool poll() override {
        check_thread("poll");
        if (!context_) return false;
        const activation here(*context_, state_);
        const bool alive = context_->poll();
        set_deadline(context_->next_poll());
        return alive;
    }

    void shutdown(std::optional<std::int64_t> grace) override {
        if (!context_) return;
        check_thread("shutdown");
        {
            const activation here(*context_, state_);
            context_->drain(grace.value_or(options.grace().count()));
        }
        context_.reset();
        submitted_.abandon();
        set_deadline(INT64_MAX);
    }

private:
    void watch(int fd) {
        epoll_event e{};
        e.events = EPOLLIN;
        if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &e) != 0) fault::from_errno(errno, "epoll_ctl").raise();
    }

    void set_deadline(std::int64_t at) {
        constexpr std::int64_t second = 1'000'000'000;
        itimerspec t{};  // all zero disarms
        if (at != INT64_MAX) {
            t.it_value.tv_sec = at / second;
            t.it_value.tv_nsec = at > 0 ? at % second : 1;  // in the past: at once
        }
        ::timerfd_settime(deadline_.get(), TFD_TIMER_ABSTIME, &t, nullptr);
    }

    void check_thread(const char* call) const {
        if (std::this_thread::get_id() != thread_)
            throw error(fault(errc::invalid_argument, std::string("runtime::") + call)
                            .detail("a polled runtime belongs to the thread that made it"));
    }

    const std::thread::id thread_ = std::this_thread::get_id();
    remote_context home_;  // an outsider for as long as it lives: waiting for submissions is no deadlock
    submitted_list submitted_;
    descriptor deadline_;
    descriptor epoll_;
    std::optional<context> context_;
    thread_state state_;  // between polls
};

}  // namespace

}  // namespace detail

runtime::runtime() : runtime(runtime_options()) {}
runtime::runtime(const runtime_options& options) : state_(new detail::threaded_runtime(options)) {}
runtime::runtime(polled_t, const runtime_options& options) : state_(new detail::polled_runtime(options)) {}
runtime::~runtime() { delete state_; }

void runtime::post(detail::submitted_base& s) { state_->send(s); }
void runtime::shutdown() { state_->shutdown(std::nullopt); }
void runtime::shut_down(std::int64_t grace) { state_->shutdown(grace); }
int runtime::fd() const { return state_->fd(); }
bool runtime::poll() { return state_->poll(); }

}  // namespace rondo::inline v0
