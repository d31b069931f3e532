#include "exchange.hpp"

#include <algorithm>
#include <variant>

#include <rondo/as_result.hpp>
#include <rondo/event.hpp>
#include <rondo/http/request_writer.hpp>
#include <rondo/http/status.hpp>
#include <rondo/race.hpp>

namespace rondo::inline v0 {
namespace http {
namespace detail {

namespace {

// How much is set aside for a body because of what its Content-Length says.
constexpr std::uint64_t trusted_length = 1024 * 1024;

void check(errc e) {
    if (e != errc::none) throw error(make_error_code(e), "");
}

}  // namespace

exchange::exchange(net::stream& s, const client_options& o, const request& r, std::string_view authority)
    : stream_(s), options_(o), has_body_(!r.body().empty()), parser_(r.method(), o.limits()) {
    request_writer(authority).whole(out_, r);
}

task<void> exchange::run() {
    if (!has_body_) {
        co_await stream_.write_all(out_);
        sent_ = true;
        co_await receive();
        co_return;
    }
    // A server may answer before it has read the body, and then read no more of it: sending must not be in the way of
    // the answer. What fails first may be the sending, while the answer that tells why is on its way.
    const result<std::variant<std::monostate, std::monostate>> r = co_await as_result(race(receive(), upload()));
    if (r.has_value()) co_return;
    if (upload_failure_ && !answered()) upload_failure_->raise();
    r.error().raise();
}

task<void> exchange::upload() {
    event never;
    const result<std::size_t> r = co_await as_result(stream_.write_all(out_));
    sent_ = r.has_value();
    if (!sent_) upload_failure_ = r.error();
    co_await never.wait();  // only the response ends the exchange
}

task<void> exchange::receive() {
    bool done = false;
    while (!done) {
        const net::chunk c = co_await stream_.read();
        if (c.empty()) end_of_stream();
        bytes in = c.view();
        while (!in.empty() && !done) {
            if (in_body_) take_body(in);
            else take_head(in);
            done = in_body_ && body_.done();
        }
        done = in_body_ && body_.done();
        surplus_ = !in.empty();
    }
    response().trailers() = std::move(body_.trailers());
}

void exchange::take_head(bytes& in) {
    in = in.drop(parser_.feed(in));
    check(parser_.error());
    if (!parser_.done()) return;
    if (response().status() == 101) check(errc::unasked_upgrade);
    if (is_interim(response().status())) {
        if (++interim_ > options_.max_interim()) check(errc::too_many_interim);
        parser_.reset();
        return;
    }
    in_body_ = true;
    body_ = body_decoder(parser_.framing(), options_.limits());
    check(body_.error());
    response().body().reserve(static_cast<std::size_t>(std::min(parser_.framing().length, trusted_length)));
}

void exchange::take_body(bytes& in) {
    const body_decoder::piece p = body_.feed(in);
    response().body().append(p.data.text());
    in = in.drop(p.used);
    check(body_.error());
}

void exchange::end_of_stream() {
    if (!in_body_) check(answered() ? errc::incomplete : errc::no_response);
    body_.end();
    check(body_.error());
}

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
