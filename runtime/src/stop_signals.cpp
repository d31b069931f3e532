#include "stop_signals.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

#include <rondo/error.hpp>

#include <rondo/runtime_options.hpp>

#include "inbox.hpp"

namespace rondo::inline v0::detail {

namespace {

// What the handler may touch: lock-free words only.
constinit std::atomic<inbox*> receiver{nullptr};
constinit std::atomic<remote_node*> first_message{nullptr};
constinit std::atomic<int> first_signal{0};
constinit std::atomic<int> handlers{0};  // that run now, on any thread
static_assert(std::atomic<inbox*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void caught_signal(int signal) noexcept {
    const int err = errno;
    handlers.fetch_add(1);
    int none = 0;
    if (first_signal.compare_exchange_strong(none, signal)) {
        inbox* const to = receiver.load();
        remote_node* const message = first_message.exchange(nullptr);
        if (to != nullptr && message != nullptr) to->post(*message);
    } else {
        // Whoever asks twice does not want to wait.
        struct sigaction usual{};
        usual.sa_handler = SIG_DFL;
        ::sigaction(signal, &usual, nullptr);
        ::raise(signal);
    }
    handlers.fetch_sub(1);
    errno = err;
}

}  // namespace

std::string signal_name(int signal) {
    const char* const name = ::sigabbrev_np(signal);
    return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::uint64_t signal_bit(int signal) {
    if (signal < 1 || signal > 64)
        throw error(
            fault(errc::invalid_argument, "runtime_options::stop_on").detail(std::to_string(signal) + " is no signal"));
    return std::uint64_t{1} << (signal - 1);
}

stop_signals::stop_signals(std::uint64_t which, inbox& to, remote_node& message) {
    inbox* nobody = nullptr;
    if (!receiver.compare_exchange_strong(nobody, &to))
        throw error(fault(errc::busy, "runtime_options::stop_on")
                        .detail("another run of this process is stopped by signals already"));
    first_signal.store(0);
    first_message.store(&message);
    struct sigaction ours{};
    ours.sa_handler = &caught_signal;
    ours.sa_flags = SA_RESTART;
    for (int n = 1; n <= 64; ++n) {
        if ((which >> (n - 1) & 1U) == 0) continue;
        former f{n, {}};
        if (::sigaction(n, &ours, &f.action) != 0) {
            const int err = errno;
            restore();
            fault::from_errno(err, "sigaction " + std::to_string(n)).raise();
        }
        former_.push_back(f);
    }
}

stop_signals::~stop_signals() { restore(); }

void stop_signals::restore() noexcept {
    for (const former& f : former_) ::sigaction(f.signal, &f.action, nullptr);
    first_message.store(nullptr);
    while (handlers.load() != 0) std::this_thread::yield();
    receiver.store(nullptr);
}

int stop_signals::caught() const noexcept { return first_signal.load(); }

}  // namespace rondo::inline v0::detail
