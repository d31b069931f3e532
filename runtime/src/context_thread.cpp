#include "context_thread.hpp"

#include <pthread.h>
#include <exception>
#include <string>
#include <utility>

#include "context.hpp"
#include "crew.hpp"

namespace rondo::inline v0::detail {

context_thread::context_thread(const runtime_options& options, crew* of, std::size_t index)
    : options_(options), stop_(*this) {
    std::promise<remote_context> started;
    std::future<remote_context> starting = started.get_future();
    thread_ = std::thread([this, &started, of, index] { serve(started, of, index); });
    try {
        home = starting.get();
    } catch (...) {
        thread_.join();
        throw;
    }
}

context_thread::~context_thread() {
    stop(std::nullopt);
    join();
}

void context_thread::stopped(remote_node& n) noexcept { static_cast<stop_message&>(n).target->stopped_ = true; }

void context_thread::stop(std::optional<std::int64_t> grace) noexcept {
    if (std::exchange(asked_to_stop_, true)) return;
    if (grace) options_.grace(std::chrono::nanoseconds(*grace));
    home.post(stop_);
}

void context_thread::join() {
    if (thread_.joinable()) thread_.join();
}

void context_thread::serve(std::promise<remote_context>& started, crew* of, std::size_t index) {
    ::pthread_setname_np(::pthread_self(), index == 0 ? "rondo" : ("rondo-" + std::to_string(index)).c_str());
    std::optional<context> c;
    std::optional<activation> here;
    std::optional<crew> own;
    try {
        c.emplace(options_);
        here.emplace(*c);
        if (of == nullptr && options_.threads() > 1) own.emplace(options_, submitted);
        c->take_part(own ? &*own : of, index, submitted);
    } catch (...) {
        started.set_exception(std::current_exception());
        return;
    }
    started.set_value(remote_context::current());  // `started` is gone from here on
    c->serve(stopped_);
    if (own) own->stop(options_.grace().count());
    c->drain(options_.grace().count());
    submitted.abandon();
    if (own) own->join();
}

}  // namespace rondo::inline v0::detail
