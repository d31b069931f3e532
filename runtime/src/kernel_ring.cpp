#include "kernel_ring.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <rondo/error.hpp>

#if defined(__SANITIZE_THREAD__)
#define RONDO_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RONDO_TSAN 1
#endif
#endif
#ifdef RONDO_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace rondo::inline v0::detail {

namespace {

// liburing maps and unmaps by raw system calls, which ThreadSanitizer does not see: memory that one thread's ring gave
// back looks to it as if it were still that thread's.
#ifdef RONDO_TSAN
char unmapped_memory;
void memory_came() noexcept { __tsan_acquire(&unmapped_memory); }
void memory_goes() noexcept { __tsan_release(&unmapped_memory); }
#else
void memory_came() noexcept {}
void memory_goes() noexcept {}
#endif

// Best first: Linux 6.1, then 5.19. TASKRUN_FLAG lets the loop see without a system call that completions wait to be
// fetched.
constexpr std::array<unsigned, 2> setups{
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
    IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
};
constexpr unsigned always = IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
constexpr unsigned completions_per_entry = 4;
constexpr unsigned fewest_entries = 32;

/// Whether the environment's RONDO_DISABLE, a list with commas, names the feature: for tests of what replaces it, and
/// to get round a kernel in which it is broken.
bool is_disabled(std::string_view feature) noexcept {
    const char* const value = std::getenv("RONDO_DISABLE");
    std::string_view list = value != nullptr ? value : "";
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        if (list.substr(0, end) == feature) return true;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

int disabled_sysctl() {
    int value = -1;
    if (std::FILE* const f = std::fopen("/proc/sys/kernel/io_uring_disabled", "re")) {
        if (std::fscanf(f, "%d", &value) != 1) value = -1;
        std::fclose(f);
    }
    return value;
}

[[noreturn]] void refuse(int err) {
    std::string why;
    switch (err) {
        case ENOSYS: why = "the kernel has none; rondo needs Linux 5.19 or newer with CONFIG_IO_URING"; break;
        case EPERM:
            if (const int v = disabled_sysctl(); v > 0)
                why = "it is switched off by the sysctl kernel.io_uring_disabled = " + std::to_string(v) +
                      "; run: sysctl kernel.io_uring_disabled=0";
            else
                why =
                    "not permitted: a seccomp filter forbids it (Docker's default profile does); run the container "
                    "with a profile that allows the io_uring_* system calls";
            break;
        case ENOMEM:
            why = "no locked memory left even for " + std::to_string(fewest_entries) +
                  " entries; raise RLIMIT_MEMLOCK (ulimit -l)";
            break;
        case EMFILE:
        case ENFILE: why = "no file descriptor left; raise RLIMIT_NOFILE (ulimit -n)"; break;
        case EINVAL: why = "the kernel is too old; rondo needs Linux 5.19 or newer"; break;
        default: why = std::error_code(err, std::system_category()).message(); break;
    }
    fault(errc::ring_unavailable).detail(why).raise();
}

}  // namespace

kernel_ring::kernel_ring(unsigned entries, waiting how) {
    open(std::clamp(entries, 1U, 32768U), how);
    memory_came();
    sq_head_ = ring_.sq.khead;
    sq_tail_ = ring_.sq.ktail;
    sq_flags_ = ring_.sq.kflags;
    sq_mask_ = *ring_.sq.kring_mask;
    sq_entries_ = *ring_.sq.kring_entries;
    sqes_ = ring_.sq.sqes;
    sq_next_ = *sq_tail_;
    cq_head_ = ring_.cq.khead;
    cq_tail_ = ring_.cq.ktail;
    cq_mask_ = *ring_.cq.kring_mask;
    cqes_ = ring_.cq.cqes;
    for (unsigned i = 0; i < sq_entries_; ++i) ring_.sq.array[i] = i;  // entry i is always slot i
    if ((ring_.features & IORING_FEAT_EXT_ARG) == 0) {
        io_uring_queue_exit(&ring_);
        refuse(EINVAL);
    }
}

void kernel_ring::open(unsigned entries, waiting how) {
    const bool may_defer = how != waiting::on_fd && !is_disabled("defer_taskrun");
    for (;;) {
        int err = 0;
        for (const unsigned setup : setups) {
            if (!may_defer && (setup & IORING_SETUP_DEFER_TASKRUN) != 0) continue;
            io_uring_params params{};
            params.flags = setup | always;
            params.cq_entries = std::bit_ceil(entries) * completions_per_entry;
            err = -io_uring_queue_init_params(entries, &ring_, &params);
            if (err != EINVAL) break;
        }
        if (err == 0) break;
        if (err != ENOMEM || entries <= fewest_entries) refuse(err);
        entries = std::max(entries / 2, fewest_entries);
    }
    // Saves the fd look-up on each enter; the ring works without.
    io_uring_register_ring_fd(&ring_);
}

kernel_ring::~kernel_ring() {
    memory_goes();
    io_uring_queue_exit(&ring_);
}

int kernel_ring::enter(unsigned wait_for, const __kernel_timespec* limit) noexcept {
    const unsigned to_submit = publish();
    unsigned flags = IORING_ENTER_GETEVENTS;
    if ((ring_.int_flags & 1U) != 0) flags |= IORING_ENTER_REGISTERED_RING;
    int rc = 0;
    if (limit != nullptr) {
        io_uring_getevents_arg arg{};
        arg.sigmask_sz = _NSIG / 8;
        arg.ts = reinterpret_cast<std::uintptr_t>(limit);
        rc = io_uring_enter2(static_cast<unsigned>(ring_.enter_ring_fd), to_submit, wait_for,
                             flags | IORING_ENTER_EXT_ARG, reinterpret_cast<sigset_t*>(&arg), sizeof arg);
    } else {
        rc = io_uring_enter(static_cast<unsigned>(ring_.enter_ring_fd), to_submit, wait_for, flags, nullptr);
    }
    return rc < 0 ? rc : 0;
}

int kernel_ring::register_buffers(io_uring_buf_reg& reg) noexcept {
    if (is_disabled("buffer_ring")) return -EOPNOTSUPP;
    return io_uring_register_buf_ring(&ring_, &reg, 0);
}

}  // namespace rondo::inline v0::detail
