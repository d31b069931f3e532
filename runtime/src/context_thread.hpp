// A context on a thread of its own, for tasks that others send.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <thread>

#include <rondo/detail/remote.hpp>
#include <rondo/detail/submitted.hpp>
#include <rondo/runtime_options.hpp>

namespace rondo::inline v0::detail {

class context;
class crew;

class context_thread {
public:
    /// Returns when the context runs. With a crew it is its number `index`; without, it leads one of its own when the
    /// options ask for more threads. Throws what making the context threw.
    context_thread(const runtime_options& options, crew* of, std::size_t index);
    ~context_thread();
    context_thread(const context_thread&) = delete;
    context_thread& operator=(const context_thread&) = delete;

    /// Asks it to end; does not wait. With the grace period of the options, or this one.
    void stop(std::optional<std::int64_t> grace) noexcept;
    /// Waits for its end. Later calls have no effect.
    void join();

    remote_context home;
    submitted_list submitted;

private:
    struct stop_message : remote_node {
        explicit stop_message(context_thread& t) noexcept : remote_node(&context_thread::stopped), target(&t) {}
        context_thread* const target;
    };
    static void stopped(remote_node& n) noexcept;
    void serve(std::promise<remote_context>& started, crew* of, std::size_t index);

    runtime_options options_;
    stop_message stop_;
    bool asked_to_stop_ = false;
    bool stopped_ = false;  // of its thread
    std::thread thread_;
};

}  // namespace rondo::inline v0::detail
