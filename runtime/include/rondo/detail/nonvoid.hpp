#pragma once

#include <type_traits>
#include <utility>
#include <variant>

namespace rondo::inline v0::detail {

/// void results stand as std::monostate where a value is needed.
template <class T>
using nonvoid = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class Child>
nonvoid<typename Child::value_type> take_nonvoid(Child& c) {
    if constexpr (std::is_void_v<typename Child::value_type>) {
        c.take();
        return {};
    } else {
        return c.take();
    }
}

}  // namespace rondo::inline v0::detail
