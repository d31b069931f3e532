// must not compile: callable_route
#include <rondo/http/server.hpp>

rondo::http::response hello(rondo::http::request&);

void add(rondo::http::server& s) { s.get("/", hello); }
