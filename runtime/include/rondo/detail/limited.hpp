// The workers of map and for_each: each takes the next element when it is done with the last one.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#include <rondo/detail/promise_base.hpp>
#include <rondo/error.hpp>
#include <rondo/scope.hpp>
#include <rondo/this_job.hpp>

namespace rondo::inline v0::detail {

RONDO_API void check_limit(std::size_t limit, const char* operation);

template <class R>
using element_reference = decltype(*std::begin(std::declval<std::remove_reference_t<R>&>()));
template <class R, class F>
using element_task = std::invoke_result_t<F&, element_reference<R>>;

/// Something to iterate over, and a coroutine for each element.
template <class R, class F>
concept limited_work = requires(std::remove_reference_t<R>& r) {
    std::begin(r);
    std::end(r);
} && is_task<element_task<R, F>>::value;

/// What the workers share; it lives in the frame of the coroutine that started them.
template <class R, class F, class Store>
class limited_run {
public:
    limited_run(R& range, std::size_t limit, F& fn, Store store)
        : next_(std::begin(range)), end_(std::end(range)), limit_(limit), fn_(fn), store_(store) {}

    task<> body(scope& s) {
        if (next_ != end_) add_worker(s);
        co_return;
    }

private:
    using iterator = decltype(std::begin(std::declval<R&>()));
    using reference = decltype(*std::declval<iterator&>());
    // An input iterator forgets an element when it goes on; others' elements stay where they are.
    static constexpr bool stays =
        !std::is_reference_v<reference> ||
        std::is_base_of_v<std::forward_iterator_tag, typename std::iterator_traits<iterator>::iterator_category>;
    using element = std::conditional_t<stays, reference, std::remove_cvref_t<reference>>;

    void add_worker(scope& s) {
        ++workers_;
        s.spawn(work(s), "worker");
    }
    task<> work(scope& s) {
        while (next_ != end_ && !this_job::is_cancelled()) {
            element e = *next_;
            ++next_;
            const std::size_t index = index_++;
            if (next_ != end_ && workers_ < limit_) add_worker(s);
            co_await store_(index, fn_, static_cast<element&&>(e));
        }
    }

    iterator next_;
    const decltype(std::end(std::declval<R&>())) end_;
    const std::size_t limit_;
    std::size_t index_ = 0;
    std::size_t workers_ = 0;
    F& fn_;
    Store store_;
};

}  // namespace rondo::inline v0::detail
