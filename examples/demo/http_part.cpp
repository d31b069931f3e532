#include "http_part.hpp"

#include <charconv>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rondo/as_result.hpp>
#include <rondo/error.hpp>
#include <rondo/net/endpoint.hpp>
#include <rondo/sleep.hpp>
#include <rondo/when_all.hpp>

namespace demo {

namespace {

namespace http = rondo::http;
using rondo::task;

// GET /<seconds>: answers when they are over.
task<http::response> answer_late(http::request& r) {
    const std::string& text = r.param("seconds");
    double s = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), s);
    if (ec != std::errc() || end != text.data() + text.size() || !(s >= 0 && s <= 1e6)) co_return http::response(400);
    co_await rondo::sleep_for(std::chrono::duration<double>(s));
    co_return http::response::text(fmt::format("waited {} s\n", s));
}

}  // namespace

http_part::http_part(std::string url) : base_(std::move(url)) {
    if (base_.empty()) {
        server_.emplace(rondo::net::endpoint("127.0.0.1:0"));
        server_->get("/{seconds}", answer_late);
        serving_.emplace(rondo::spawn(server_->serve(), "http server"));
        base_ = "http://" + server_->local().to_string();
    }
    if (!base_.ends_with('/')) base_ += '/';
}

task<> http_part::get(duration d) {
    const std::string url = fmt::format("{}{}", base_, seconds(d));
    const http::response r = co_await client_.get(url);
    if (!r.ok()) {
        rondo::fault f(std::make_error_code(std::errc::protocol_error), "GET " + url);
        throw rondo::error(f.detail(fmt::format("expected a status of 2xx, got {}", r.status())));
    }
}

task<> http_part::see_it_answer() {
    std::vector<task<>> calls;
    for (int n = 1; n <= board::waits_per_part; ++n) calls.push_back(get(duration(0)));
    co_await rondo::when_all(std::move(calls));
}

task<> http_part::settle_one(board& b, wait& w) {
    const rondo::result<void> r = co_await rondo::as_result(get(w.promised()));
    if (r) b.fulfil(w);
    else b.reject(w, r.error().text());
}

task<> http_part::settle(board& b) {
    std::vector<task<>> waits;
    for (wait& w : b.of(part::http)) waits.push_back(settle_one(b, w));
    co_await rondo::when_all(std::move(waits));
}

task<> http_part::close() {
    if (!server_) co_return;
    client_ = http::client();  // its idle connections end, so that the server has nothing to wait for
    server_->stop();
    co_await serving_->join();
}

}  // namespace demo
