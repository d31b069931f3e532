#include "inbox.hpp"

#include <sys/eventfd.h>
#include <unistd.h>
#include <cerrno>
#include <utility>

#include <rondo/error.hpp>

#include "context.hpp"

namespace rondo::inline v0::detail {

remote_node inbox::closed_{nullptr};

namespace {
std::uint64_t next_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}
}  // namespace

inbox::inbox() : number_(next_number()), wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (wake_fd_ < 0) fault::from_errno(errno, "eventfd").raise();
}

inbox::~inbox() { ::close(wake_fd_); }

bool inbox::post(remote_node& n) noexcept {
    // The message may end what holds the poster's handle, and then the context, before the wake below is done.
    const reference kept(*this);
    remote_node* head = head_.load(std::memory_order_relaxed);
    do {
        if (head == &closed_) return false;
        n.next = head;
    } while (!head_.compare_exchange_weak(head, &n, std::memory_order_seq_cst));
    wake();
    return true;
}

void inbox::wake() noexcept {
    if (!parked_.load(std::memory_order_seq_cst) || !parked_.exchange(false, std::memory_order_seq_cst)) return;
    const std::uint64_t one = 1;
    // The counter cannot overflow: the owner resets it at each wake.
    [[maybe_unused]] const auto written = ::write(wake_fd_, &one, sizeof one);
}

std::size_t inbox::run_reversed(remote_node* n) noexcept {
    remote_node* first = nullptr;
    while (n != nullptr) {
        remote_node* const next = n->next;
        n->next = first;
        first = n;
        n = next;
    }
    std::size_t count = 0;
    while (first != nullptr) {
        remote_node* const next = first->next;
        first->run(*first);
        first = next;
        ++count;
    }
    return count;
}

std::size_t inbox::drain() noexcept {
    if (empty() || is_closed()) return 0;
    return run_reversed(head_.exchange(nullptr, std::memory_order_acquire));
}

bool inbox::park() noexcept {
    parked_.store(true, std::memory_order_seq_cst);
    if (head_.load(std::memory_order_seq_cst) == nullptr) return true;
    parked_.store(false, std::memory_order_relaxed);
    return false;
}

void inbox::close() noexcept {
    remote_node* n = head_.load(std::memory_order_acquire);
    while (!head_.compare_exchange_weak(n, &closed_, std::memory_order_acq_rel)) {}
    if (n != &closed_) run_reversed(n);
}

remote_context::remote_context(inbox* i) noexcept : inbox_(i) { i->add_outsider(); }
remote_context::remote_context(const remote_context& other) noexcept : inbox_(other.inbox_) {
    if (inbox_ != nullptr) inbox_->add_outsider();
}
remote_context& remote_context::operator=(remote_context other) noexcept {
    std::swap(inbox_, other.inbox_);
    return *this;
}
remote_context::~remote_context() {
    if (inbox_ != nullptr) inbox_->drop_outsider();
}
remote_context remote_context::current() {
    if (tls.context == nullptr) throw_no_context();
    return remote_context(&tls.context->remote());
}
std::uint64_t remote_context::current_number() noexcept {
    return tls.context != nullptr ? tls.context->remote().number() : 0;
}
bool remote_context::post(remote_node& n) const noexcept { return inbox_ != nullptr && inbox_->post(n); }
const meters& remote_context::counts() const noexcept { return inbox_->meters; }

bool remote_context::is_current() const noexcept {
    return inbox_ != nullptr && tls.context != nullptr && &tls.context->remote() == inbox_;
}
}  // namespace rondo::inline v0::detail
