#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <rondo/detail/limited.hpp>

namespace rondo::inline v0 {

namespace detail {

template <class R, class F>
using mapped = typename element_task<R, F>::value_type;

template <class R, class F>
task<std::vector<mapped<R, F>>> map_task(R range, std::size_t limit, F fn) {
    using value = mapped<R, F>;
    check_limit(limit, "map");
    std::vector<std::optional<value>> found;
    const auto keep = [&found](std::size_t index, auto& f, auto&& e) {
        if (found.size() <= index) found.resize(index + 1);
        return [](auto& into, std::size_t at, element_task<R, F> t) -> task<> {
            value v = co_await std::move(t);
            into[at].emplace(std::move(v));
        }(found, index, f(std::forward<decltype(e)>(e)));
    };
    limited_run<std::remove_reference_t<R>, std::remove_reference_t<F>, decltype(keep)> all(range, limit, fn, keep);
    co_await with_scope([&all](scope& s) { return all.body(s); });
    std::vector<value> values;
    values.reserve(found.size());
    for (std::optional<value>& v : found) values.push_back(std::move(*v));
    co_return values;
}

}  // namespace detail

/// What `fn`, a coroutine, gives for each element of a range, in the order of the elements; at most `limit` are at work
/// at once.
///
///     std::vector<reply> all = co_await rondo::map(urls, 8, [&](const std::string& url) { return fetch(url); });
///
/// See for_each, also for Errors, Cancellation and Lifetime.
template <class R, class F>
    requires(detail::limited_work<R, F> && !std::is_void_v<detail::mapped<R, F>>)
task<std::vector<detail::mapped<R, F>>> map(R&& range, std::size_t limit, F&& fn) {
    return detail::map_task<R, F>(std::forward<R>(range), limit, std::forward<F>(fn));
}

}  // namespace rondo::inline v0
