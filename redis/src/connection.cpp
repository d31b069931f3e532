#include "connection.hpp"

#include <utility>

#include <rondo/as_result.hpp>
#include <rondo/redis/command.hpp>
#include <rondo/redis/error.hpp>
#include <rondo/when_all.hpp>

#include "router.hpp"

namespace rondo::inline v0 {
namespace redis {
namespace detail {

namespace {

// One write carries at most this much, so that the replies to its first commands are not kept waiting by its last.
constexpr std::size_t batch_bytes = std::size_t{64} * 1024;
// A buffer that one large value has blown up is not kept.
constexpr std::size_t kept_bytes = std::size_t{1024} * 1024;

constexpr std::size_t shown_at_most = 80;

std::string text_of(const command_data& c) { return std::string(c.encoded().text()); }

command<value> auth_command(const options& o) {
    if (o.user().empty()) return command<value>("AUTH", o.password());
    return command<value>("AUTH", o.user(), o.password());
}

command<value> hello_command(const options& o) {
    if (o.password().empty()) return command<value>("HELLO", 3);
    return command<value>("HELLO", 3, "AUTH", o.user().empty() ? std::string("default") : o.user(), o.password());
}

// Servers before 6.0, and some proxies, know no HELLO, or only that of RESP2.
bool knows_no_hello(const value& v) {
    return v.error_code() == "NOPROTO" || v.text().find("unknown command") != std::string_view::npos;
}

}  // namespace

class connection::lifeline {
public:
    explicit lifeline(std::shared_ptr<connection> c) noexcept : connection_(std::move(c)) {}
    lifeline(lifeline&&) noexcept = default;
    lifeline& operator=(lifeline&&) = delete;
    ~lifeline() {
        if (connection_) connection_->end();
    }
    connection* operator->() const noexcept { return connection_.get(); }

private:
    std::shared_ptr<connection> connection_;
};

std::shared_ptr<connection> connection::open(std::shared_ptr<const options> o) {
    auto c = std::make_shared<connection>(std::move(o));
    c->job_.emplace(spawn(live(lifeline(c)), "redis connection"));
    return c;
}

void connection::check() const {
    if (ended_) why_.raise();
}

void connection::submit(request& r) noexcept {
    r.on_ = this;
    unsent_.push_back(r);
    unsent_bytes_ += r.bytes_;
    unsent_came_.set();
}

void connection::abandon(request& r) noexcept {
    r.on_ = nullptr;
    if (r.sent_) {
        replies_.abandon(r);
    } else {
        unsent_.remove(r);
        unsent_bytes_ -= r.bytes_;
    }
    if (r.blocking_) {
        // Its reply may be hours away: the socket goes with it.
        r.router_.get()->blocking_ended(nullptr);
        close();
    }
}

void connection::close() noexcept {
    if (!usable()) return;
    closing_ = true;
    // Dropping the handle may free the job, and with it the last share of this object.
    const auto self = shared_from_this();
    why_ = rondo::fault(rondo::errc::closed, "redis");
    job_->cancel();
    job_.reset();
}

task<void> connection::live(lifeline hold) {
    try {
        co_await hold->greet();
        hold->established_ = true;
        hold->greeted_.set();
        co_await when_all(hold->read_loop(), hold->write_loop());
    } catch (const cancelled& c) {
        if (!hold->closing_) hold->why_ = rondo::fault(rondo::errc::closed, "redis").detail(to_string(c.reason()));
    } catch (...) {
        hold->why_ = rondo::detail::current_fault();
    }
    hold->end();
}

task<void> connection::greet() {
    const bool tries_hello = options_->protocol() >= 3;
    stream_ = co_await net::connect(options_->where());
    if (!tries_hello) {
        co_await greet_without_hello();
        co_return;
    }
    result<bool> greeted = co_await as_result(say_hello());
    if (!greeted && !answered_ && greeted.error().code() == make_error_code(errc::connection_lost)) {
        // A server so old, or a proxy so strict, that it hangs up on HELLO.
        parser_ = parser(options_->limits());
        stream_ = co_await net::connect(options_->where());
        greeted = false;
    }
    if (!greeted.value()) co_await greet_without_hello();
}

/// False when the server knows no HELLO.
task<bool> connection::say_hello() {
    std::string first = text_of(hello_command(*options_));
    const bool selects = options_->database() != 0;
    if (selects) first += text_of(command<value>("SELECT", options_->database()));
    const value hello = co_await ask(std::move(first));
    value selected;
    if (selects) selected = co_await read_reply();
    if (hello.is_error()) {
        if (knows_no_hello(hello)) co_return false;
        lose(errc::server, std::string(hello.text()));
    }
    if (hello.kind() != kind::map) lose(errc::protocol, "HELLO answered with " + to_string(hello, shown_at_most));
    if (selected.is_error()) lose(errc::server, std::string(selected.text()));
    co_return true;
}

task<void> connection::greet_without_hello() {
    if (!options_->password().empty()) {
        const value v = co_await ask(text_of(auth_command(*options_)));
        if (v.is_error()) lose(errc::server, std::string(v.text()));
    }
    // Something has to be asked, so that a server that is full or wants a password says so now.
    const command<value> last =
        options_->database() != 0 ? command<value>("SELECT", options_->database()) : command<value>("PING");
    const value v = co_await ask(text_of(last));
    if (v.is_error()) lose(errc::server, std::string(v.text()));
}

task<value> connection::ask(std::string what) {
    const result<std::size_t> written = co_await as_result(stream_.write_all(what));
    // A server that is full says so and hangs up before it has read anything: its words are worth more than EPIPE.
    result<value> reply = co_await as_result(read_reply());
    if (!reply && !written) written.error().raise();
    co_return std::move(reply).value();
}

task<value> connection::read_reply() {
    for (;;) {
        value v;
        const parser::event got = parser_.next(v);
        if (got == parser::event::reply) co_return v;
        if (got == parser::event::failed) {
            rondo::fault f = parser_.error();
            f.peer(options_->where().to_string()).raise();
        }
        if (got != parser::event::need_more) continue;
        received_ = net::chunk();
        net::chunk more = co_await stream_.read();
        if (more.empty()) lose(errc::connection_lost, "the server closed the connection");
        answered_ = true;
        received_ = std::move(more);
        parser_.feed(received_);
    }
}

task<void> connection::read_loop() {
    for (;;) {
        take_replies();
        received_ = net::chunk();  // idle connections hold no buffer
        net::chunk more = co_await stream_.read();
        if (more.empty()) lose(errc::connection_lost, "the server closed the connection");
        received_ = std::move(more);
        parser_.feed(received_);
    }
}

void connection::take_replies() {
    value v;
    for (;;) {
        const parser::event got = parser_.next(v);
        if (got == parser::event::need_more) return;
        if (got == parser::event::failed) {
            rondo::fault f = parser_.error();
            f.peer(options_->where().to_string()).raise();
        }
        // Pushes and attributes answer nobody.
        if (got == parser::event::reply) on_reply(std::move(v));
    }
}

void connection::on_reply(value&& v) {
    switch (replies_.next_owner()) {
        case reply_queue::owner::nobody:
            lose(errc::protocol, "a reply that nobody asked for: " + to_string(v, shown_at_most));
        case reply_queue::owner::abandoned: replies_.discarded(); return;
        case reply_queue::owner::request: break;
    }
    request& r = *replies_.front();
    if (!r.deliver(r.received_, v)) {  // then it has left the value alone
        const std::string shown = std::string(to_string(v.kind())) + " " + to_string(v, shown_at_most);
        lose(errc::protocol, std::string(r.name(r.received_)) + " cannot be answered with " + shown);
    }
    if (!replies_.delivered()) return;
    r.on_ = nullptr;
    if (r.blocking_) r.router_.get()->blocking_ended(this);
    rondo::detail::complete(r);
}

task<void> connection::write_loop() {
    for (;;) {
        co_await unsent_came_.wait();
        unsent_came_.reset();
        while (unsent_.front() != nullptr) {
            collect_batch();
            co_await stream_.write_all(out_);
        }
        if (out_.capacity() > kept_bytes) out_ = std::string();
    }
}

void connection::collect_batch() {
    out_.clear();
    while (request* const r = unsent_.front()) {
        if (!out_.empty() && out_.size() + r->bytes_ > batch_bytes) break;
        out_.reserve(out_.size() + r->bytes_);  // before anything changes, for it may throw
        unsent_.remove(*r);
        unsent_bytes_ -= r->bytes_;
        r->write(out_);
        r->sent_ = true;
        replies_.expect(*r);
    }
}

rondo::fault connection::fault_for(const request& r) const {
    if (!established_) {
        rondo::fault f = why_;
        f.outcome(outcome::not_sent);
        return f;
    }
    const bool ours = why_.code().category() == redis::category();
    rondo::fault f(ours ? why_.code() : make_error_code(errc::connection_lost), std::string(r.name(r.received_)));
    f.peer(options_->where().to_string());
    f.detail(ours ? why_.detail() : why_.code().message());
    f.outcome(r.sent_ ? outcome::maybe_executed : outcome::not_sent);
    return f;
}

void connection::end() noexcept {
    if (ended_) return;
    ended_ = true;
    greeted_.set();
    if (why_.code() == std::error_code()) why_ = rondo::fault(rondo::errc::closed, "redis");
    stream_.close();
    job_.reset();

    const auto give_up = [this](request& r) {
        r.on_ = nullptr;
        r.fault_ = std::make_unique<rondo::fault>(fault_for(r));
        if (r.blocking_) r.router_.get()->blocking_ended(nullptr);
        rondo::detail::complete(r);
    };
    while (request* const r = replies_.front()) {
        replies_.give_up_front();
        give_up(*r);
    }
    while (request* const r = unsent_.front()) {
        unsent_.remove(*r);
        give_up(*r);
    }
    unsent_bytes_ = 0;
}

void connection::lose(redis::errc code, std::string why) const {
    if (code == errc::server && why.starts_with("NOAUTH")) why += "; give the password in the URL";
    rondo::fault f(make_error_code(code), established_ ? "redis" : "connect");
    f.peer(options_->where().to_string()).detail(std::move(why)).raise();
}

}  // namespace detail
}  // namespace redis
}  // namespace rondo::inline v0
