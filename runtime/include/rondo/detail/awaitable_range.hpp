#pragma once

#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <rondo/detail/combinator.hpp>
#include <rondo/detail/frame_pool.hpp>

namespace rondo::inline v0::detail {

template <class R>
using range_element = std::remove_cvref_t<decltype(*std::begin(std::declval<R&>()))>;

template <class R>
concept awaitable_range = !awaitable<std::remove_cvref_t<R>> && requires(R& r) {
    std::begin(r);
    std::end(r);
} && awaitable<range_element<R>>;

/// The elements, moved out of the range, as children.
template <class R>
auto make_children(R& range) {
    using made = child_of<range_element<R>>;
    std::vector<made> children;
    if constexpr (requires { range.size(); }) {
        children.reserve(range.size());
        prefer_huge_pages(children.data(), range.size() * sizeof(made));
    }
    for (auto& element : range) children.emplace_back(to_child(std::move(element)));
    return children;
}

}  // namespace rondo::inline v0::detail
