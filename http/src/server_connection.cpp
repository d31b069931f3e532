#include "server_connection.hpp"

#include <variant>

#include <rondo/as_result.hpp>
#include <rondo/cancelled.hpp>
#include <rondo/http/response_writer.hpp>
#include <rondo/http/status.hpp>
#include <rondo/race.hpp>
#include <rondo/report.hpp>
#include <rondo/with_timeout.hpp>

namespace rondo::inline v0 {
namespace http {
namespace detail {

namespace {

// How much may be read before it is asked for; also when pipelined answers are written though more are to come.
constexpr std::size_t read_ahead = 64 * 1024;
// A body that nobody wants is read up to here to keep the connection, and up to here after a last response.
constexpr std::size_t discard_body = 64 * 1024;
constexpr std::size_t discard_last = 1024 * 1024;
// Buffers larger than this are not kept by an idle connection.
constexpr std::size_t idle_buffer = 4 * 1024;

// The client is not there any more, or takes nothing: there is nobody to tell.
bool is_peer_trouble(const fault& f) {
    return f.code().category() == std::system_category() || f == v0::errc::closed || f == v0::errc::timed_out;
}

void shrink(std::string& s) {
    s.clear();
    if (s.capacity() > idle_buffer) s.shrink_to_fit();
}

}  // namespace

server_connection::server_connection(net::stream s, serving& shared)
    : stream_(std::move(s)), shared_(&shared), parser_(shared.options.limits()) {}

task<void> server_connection::run() {
    const result<std::variant<std::monostate, std::monostate>> r = co_await as_result(race(serve_loop(), read_loop()));
    if (!r.has_value() && !is_peer_trouble(r.error())) r.error().raise();
}

// ---- input

task<void> server_connection::read_loop() {
    event never;
    bool more = true;
    while (more) {
        if (!discarding_ && unread().size() >= read_ahead) {
            room_.reset();
            co_await room_.wait();
        }
        const result<net::chunk> c = co_await as_result(stream_.read());
        more = c.has_value() && !c->empty();
        if (more && discarding_) {
            discarded_ += c->size();
            more = discarded_ < discard_last;
        } else if (more) {
            input_.append(c->text());
            arrived_.set();
        }
    }
    ended_.set();
    arrived_.set();
    co_await never.wait();  // until the other coroutine is done
}

void server_connection::take(std::size_t n) {
    taken_ += n;
    if (taken_ == input_.size()) {
        input_.clear();
        taken_ = 0;
    } else if (taken_ >= read_ahead) {
        input_.erase(0, taken_);
        taken_ = 0;
    }
    if (unread().size() < read_ahead) room_.set();
}

/// Waits until there is unread input or none will come.
task<void> server_connection::input() {
    while (unread().empty() && !ended_.is_set()) {
        arrived_.reset();
        co_await arrived_.wait();
    }
}

// ---- output

task<void> server_connection::flush() {
    while (written_ < output_.size()) {
        const bytes rest = bytes(output_).drop(written_);
        const std::size_t n = co_await with_timeout(shared_->options.write_timeout(), stream_.write_some(rest));
        written_ += n;
    }
    output_.clear();
    written_ = 0;
}

// ---- the life of a connection

task<void> server_connection::serve_loop() {
    bool open = true;
    while (open) open = co_await serve_one();
    co_await finish();
}

/// Sends what is left and lets the client read it: closing with unread input would make the kernel send a reset, which
/// can destroy a response on its way (RFC 9112 section 9.6).
task<void> server_connection::finish() {
    co_await flush();
    if (ended_.is_set()) co_return;
    discarding_ = true;
    shrink(input_);
    taken_ = 0;
    room_.set();
    stream_.shutdown();
    const result<void> r = co_await as_result(with_timeout(shared_->options.linger(), ended_.wait()));
    if (!r.has_value() && r.error() != v0::errc::timed_out) r.error().raise();
}

/// One request and its response; false when there is none to follow.
task<bool> server_connection::serve_one() {
    parser_.reset();
    const bool came = co_await receive_head();
    if (!came) co_return false;
    first_ = false;
    keep_alive_ = parser_.keep_alive();

    router::match route = shared_->routes.find(parser_.request());
    const bool complete = co_await receive_body(route.handler != nullptr);
    if (!complete) co_return false;

    if (route.handler) {
        const bool answered = co_await answer(*route.handler);
        if (!answered) co_return false;
    } else response_ = std::move(route.answer);
    write_response();
    if (output_.size() - written_ >= read_ahead) co_await flush();
    co_return keep_alive_;
}

// ---- requests

/// False when the connection is over; what there is to say about it is in the output.
task<bool> server_connection::receive_head() {
    const server_options& options = shared_->options;
    parse_head();
    if (!head_settled()) {
        co_await flush();
        parse_head();  // the next request may have come during the flush
    }
    if (!parser_.started() && !head_settled()) {
        shrink(input_);
        shrink(output_);
        taken_ = 0;
        idle_ = true;
        if (shared_->draining) co_return false;
        const duration patience = first_ ? options.header_timeout() : options.idle_timeout();
        const result<void> r = co_await as_result(with_timeout(patience, input()));
        idle_ = false;
        if (!r.has_value() || unread().empty()) co_return false;
        parse_head();
    }
    if (!head_settled()) {
        const result<void> r = co_await as_result(with_timeout(options.header_timeout(), read_head()));
        if (!r.has_value()) {
            refuse(408, "the head did not come in time");
            co_return false;
        }
    }
    if (parser_.failed()) refuse(status_for(parser_.error()), make_error_code(parser_.error()).message());
    co_return parser_.done();
}

task<void> server_connection::read_head() {
    bool more = true;
    while (more) {
        co_await input();
        more = !unread().empty();
        parse_head();
        more = more && !head_settled();
    }
}

/// False when the connection is over. Without a handler the body is thrown away, if that is quickly done.
task<bool> server_connection::receive_body(bool wanted) {
    const limits& allowed = shared_->options.limits();
    body_ = body_decoder(parser_.framing(), wanted ? allowed : limits(allowed).body(discard_body));
    if (body_.done()) co_return true;
    if (parser_.expects_continue() && !wanted) {
        keep_alive_ = false;  // it may send the body or not: nobody can tell where the next request starts
        co_return true;
    }

    bool in_time = true;
    if (!body_.failed()) {
        if (parser_.expects_continue() && unread().empty()) {
            response_writer(parser_.request().method(), parser_.version(), keep_alive_, {}).interim(output_, 100);
        }
        const result<void> r = co_await as_result(read_body(wanted));
        in_time = r.has_value();
        if (!in_time && r.error() != v0::errc::timed_out) r.error().raise();
    }
    if (body_.done()) {
        parser_.request().trailers() = std::move(body_.trailers());
        co_return true;
    }
    if (!wanted && body_.failed()) {
        keep_alive_ = false;
        co_return true;
    }
    if (!in_time) refuse(408, "the body did not come in time");
    else if (body_.failed()) refuse(status_for(body_.error()), make_error_code(body_.error()).message());
    co_return false;
}

task<void> server_connection::read_body(bool wanted) {
    bool more = true;
    while (more) {
        const body_decoder::piece p = body_.feed(unread());
        if (wanted) parser_.request().body().append(p.data.text());
        take(p.used);
        more = !body_.done() && !body_.failed();
        if (more && unread().empty()) {
            co_await flush();
            co_await with_timeout(shared_->options.body_timeout(), input());
            more = !unread().empty();
        }
    }
}

// ---- responses

/// Lets the handler answer; false when the client left before it did.
task<bool> server_connection::answer(route_handler& h) {
    const std::variant<std::monostate, std::monostate> first = co_await race(call(h), watch_client());
    if (first.index() == 1) co_return false;
    if (failed_) {
        const request& r = parser_.request();
        report("http handler of " + std::string(to_string(r.method())) + " " + std::string(r.path()) +
               " failed: " + trouble_);
        response_ = response(500);
    }
    co_return true;
}

task<void> server_connection::call(route_handler& h) {
    failed_ = false;
    try {
        response_ = co_await h.call(parser_.request());
    } catch (const cancelled&) {
        if (rondo::detail::tls.current->reason != cancel_reason::none) throw;
        failed_ = true;  // it is the handler's own: this job was not cancelled
        trouble_ = "cancelled";
    } catch (const std::exception& e) {
        failed_ = true;
        trouble_ = e.what();
    } catch (...) {
        failed_ = true;
        trouble_ = "an exception that is not a std::exception";
    }
}

/// Starts when the handler waits: sends the answers that are ready, then returns if the client leaves.
task<void> server_connection::watch_client() {
    co_await flush();
    co_await ended_.wait();
}

void server_connection::write_response() {
    if (shared_->draining) keep_alive_ = false;
    const request& r = parser_.request();
    const std::size_t before = output_.size();
    try {
        response_writer w(r.method(), parser_.version(), keep_alive_, shared_->date.now());
        w.whole(output_, response_);
        keep_alive_ = w.keep_alive();
    } catch (const std::exception& e) {
        output_.resize(before);
        report("http response to " + std::string(to_string(r.method())) + " " + std::string(r.path()) +
               " cannot be written: " + e.what());
        response_writer w(r.method(), parser_.version(), keep_alive_, shared_->date.now());
        w.whole(output_, response(500));
    }
    response_ = response();
}

/// Answers what is no request, or not a whole one; the last thing said on a connection.
void server_connection::refuse(int status, std::string_view reason) {
    response r(status,
               std::to_string(status) + " " + std::string(reason_phrase(status)) + ": " + std::string(reason) + "\n");
    r.header("Content-Type", "text/plain; charset=utf-8");
    response_writer w(parser_.request().method(), parser_.version(), false, shared_->date.now());
    w.whole(output_, r);
}

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
