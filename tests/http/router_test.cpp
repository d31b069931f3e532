#include "router.hpp"

#include <rondo/error.hpp>
#include <rondo/run.hpp>

#include "support/catch.hpp"

using rondo::http::method;
using rondo::http::request;
using rondo::http::response;
using rondo::http::detail::route_handler;
using rondo::http::detail::router;

namespace {

// Answers with its own name and the parameters asked for.
class named final : public route_handler {
public:
    explicit named(std::string name) : name_(std::move(name)) {}
    rondo::task<response> call(request&) override { co_return response(200, name_); }

private:
    std::string name_;
};

void add(router& r, const char* pattern, method m = method::get) {
    r.add(m, pattern, std::make_unique<named>(pattern));
}

// The pattern that takes this request, or the status and Allow of the answer.
std::string route(const router& r, request& q) {
    const router::match m = r.find(q);
    if (m.handler) return rondo::run(m.handler->call(q)).body();
    return std::to_string(m.answer.status()) + std::string(m.answer.header("allow").value_or(""));
}
std::string route(const router& r, const char* target, method m = method::get) {
    request q(m, target);
    return route(r, q);
}

bool refused(router& r, const char* pattern) {
    try {
        add(r, pattern);
    } catch (const rondo::error& e) {
        return e.code() == rondo::errc::invalid_argument && std::string(e.what()).find(pattern) != std::string::npos;
    }
    return false;
}

}  // namespace

TEST_CASE("a literal path is found whole, and the query is no part of it") {
    router r;
    add(r, "/");
    add(r, "/a");
    add(r, "/a/b");
    CHECK(route(r, "/") == "/");
    CHECK(route(r, "/?x=/a") == "/");
    CHECK(route(r, "/a?b") == "/a");
    CHECK(route(r, "/a/b") == "/a/b");
    for (const char* unknown : {"/a/", "//", "/b", "/a/b/c", "/A", "/a/../a", "/./a"})
        CHECK(route(r, unknown) == "404");
}

TEST_CASE("a parameter takes one segment, decoded, and never an empty one") {
    router r;
    add(r, "/items/{id}/parts/{part}");
    request q(method::get, "/items/a%2Fb%20c/parts/7?x");
    CHECK(route(r, q) == "/items/{id}/parts/{part}");
    CHECK(q.param("id") == "a/b c");
    CHECK(q.param("part") == "7");
    CHECK_THROWS_AS(q.param("other"), rondo::error);
    CHECK(route(r, "/items//parts/7") == "404");
    CHECK(route(r, "/items/1/parts/") == "404");
    CHECK(route(r, "/items/1/2/parts/7") == "404");
}

TEST_CASE("a literal segment is preferred, and left again when it leads nowhere") {
    router r;
    add(r, "/{a}/x");
    add(r, "/new/y");
    add(r, "/{a}/{b}");
    request q(method::get, "/new/x");
    CHECK(route(r, q) == "/{a}/x");
    CHECK(q.param("a") == "new");
    CHECK(route(r, "/new/y") == "/new/y");
    request both(method::get, "/new/z");
    CHECK(route(r, both) == "/{a}/{b}");
    CHECK(both.param("a") == "new");
    CHECK(both.param("b") == "z");
}

TEST_CASE("an escaped letter is the letter") {
    router r;
    add(r, "/abc");
    CHECK(route(r, "/%61b%63") == "/abc");
}

TEST_CASE("a malformed escape and an escaped nul are a bad request") {
    router r;
    add(r, "/{x}");
    for (const char* bad : {"/%", "/%4", "/%zz", "/a%00b", "/%00"}) CHECK(route(r, bad) == "400");
    CHECK(route(r, "/x?%zz") == "/{x}");
}

TEST_CASE("head is answered by get, options by the router, other methods by 405") {
    router r;
    add(r, "/a", method::get);
    add(r, "/a", method::post);
    add(r, "/b", method::put);
    CHECK(route(r, "/a", method::head) == "/a");
    CHECK(route(r, "/a", method::delete_) == "405GET, HEAD, POST, OPTIONS");
    CHECK(route(r, "/a", method::options) == "204GET, HEAD, POST, OPTIONS");
    CHECK(route(r, "/b", method::head) == "405PUT, OPTIONS");
    CHECK(route(r, "*", method::options) == "204");
}

TEST_CASE("the same path may name its parameter differently per method") {
    router r;
    add(r, "/{id}", method::get);
    add(r, "/{name}", method::put);
    request get(method::get, "/1");
    request put(method::put, "/2");
    route(r, get);
    route(r, put);
    CHECK(get.param("id") == "1");
    CHECK(put.param("name") == "2");
}

TEST_CASE("a pattern that could never match, or matches already, is refused") {
    router r;
    add(r, "/a/{x}");
    for (const char* bad :
         {"", "a", "/a?b", "/%41", "/a b", "/x{y}", "/{}", "/{a", "/a}", "/{a}/{a}", "/a/{x}", "/a/{y}"})
        CHECK(refused(r, bad));
}
