#include "router.hpp"

#include <utility>

#include <rondo/redis/error.hpp>

namespace rondo::inline v0 {
namespace redis {
namespace detail {

namespace {

[[noreturn]] void refuse(const request& r, std::string why) {
    rondo::fault f(make_error_code(errc::queue_full), std::string(r.name(0)));
    f.detail(std::move(why)).raise();
}

}  // namespace

router::~router() {
    if (shared_) shared_->close();
    for (const auto& c : idle_) c->close();
}

const std::shared_ptr<connection>& router::shared() {
    if (!shared_ || !shared_->usable()) shared_ = connection::open(options_);
    return shared_;
}

void router::submit(request& r) {
    if (!r.blocking_) {
        connection& c = *shared();
        check_room(c, r);
        c.submit(r);
        return;
    }
    if (blocking_ >= options_->max_blocking()) refuse(r, std::to_string(blocking_) + " blocking commands are waiting");
    const std::shared_ptr<connection> c = lease();
    ++blocking_;
    c->submit(r);  // it keeps itself alive as long as its socket lives
}

void router::check_room(const connection& c, const request& r) const {
    if (c.waiting() + r.replies_ > options_->max_waiting())
        refuse(r, std::to_string(c.waiting()) + " commands are waiting");
    const std::size_t unsent = c.unsent_bytes();
    if (unsent != 0 && unsent + r.bytes_ > options_->max_unsent_bytes())
        refuse(r, std::to_string(unsent) + " bytes are waiting to be sent");
}

std::shared_ptr<connection> router::lease() {
    while (!idle_.empty()) {
        std::shared_ptr<connection> c = std::move(idle_.back());
        idle_.pop_back();
        if (c->usable()) return c;
    }
    return connection::open(options_);
}

void router::blocking_ended(connection* reusable) noexcept {
    --blocking_;
    if (reusable == nullptr || !reusable->usable()) return;
    if (idle_.size() < options_->max_idle_blocking()) idle_.push_back(reusable->shared_from_this());
    else reusable->close();
}

}  // namespace detail
}  // namespace redis
}  // namespace rondo::inline v0
