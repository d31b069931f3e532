// One of each form that coroutines.query is for, which is why nothing compiles this file but the check itself.
#include <string>
#include <utility>
#include <vector>

#include <rondo/task.hpp>

namespace {

struct pair_of_text {
    std::string first, second;
};

template <class F>
rondo::task<std::string> call(F f) {
    co_return f();
}
rondo::task<std::string> takes(pair_of_text p) { co_return p.first; }
rondo::task<std::string> text() { co_return "text"; }
rondo::task<std::size_t> count(std::vector<std::string> list) { co_return list.size(); }

rondo::task<> copied_capture() {
    const std::string s("captured");
    co_await call([s] { return s; });
}
rondo::task<> aggregate() { co_await takes({"a", "b"}); }
rondo::task<> aggregate_from_await() {
    const pair_of_text p{co_await text(), "b"};
    static_cast<void>(p);
}
rondo::task<> ternary_around_await(bool yes) {
    const std::string s = yes ? co_await text() : std::string("other");
    static_cast<void>(s);
}
rondo::task<> ternary_in_await(bool yes) { co_await (yes ? text() : text()); }
rondo::task<> braced_list() { co_await count({"a", "b"}); }

}  // namespace

int main() {
    static_cast<void>(copied_capture());
    static_cast<void>(aggregate());
    static_cast<void>(aggregate_from_await());
    static_cast<void>(ternary_around_await(true));
    static_cast<void>(ternary_in_await(true));
    static_cast<void>(braced_list());
}
