// What a promise makes of several: all, all_settled, any, race.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <rondo/aggregate_error.hpp>
#include <rondo/detail/nonvoid.hpp>
#include <rondo/result.hpp>

namespace rondo::inline v0 {

template <class T>
class promise;
template <class T>
class resolver;

namespace detail {

template <class T>
struct promise_list {
    using list = std::vector<promise<T>>;
    using values = std::conditional_t<std::is_void_v<T>, void, std::vector<nonvoid<T>>>;

    static promise<values> all(const list& from) {
        struct gathering {
            gathering(resolver<values> r, std::size_t n) : out(std::move(r)), slots(n), left(n) {}
            void fulfil() {
                if constexpr (std::is_void_v<T>) {
                    out();
                } else {
                    values all;
                    all.reserve(slots.size());
                    for (auto& slot : slots) all.push_back(std::move(*slot));
                    out(std::move(all));
                }
            }
            resolver<values> out;
            std::vector<std::optional<nonvoid<T>>> slots;
            std::size_t left;
        };
        promise<values> out;
        const auto shared = std::make_shared<gathering>(out.make_resolver(), from.size());
        each(from, shared->out, [shared](std::size_t i, const promise<T>& source) {
            if (source.is_rejected()) return shared->out.pass_rejection(source.state_->exception());
            shared->slots[i].emplace(*source.state_->value);
            if (--shared->left == 0) shared->fulfil();
        });
        if (from.empty()) shared->fulfil();
        return out;
    }

    static promise<std::vector<result<T>>> all_settled(const list& from) {
        using outcomes = std::vector<result<T>>;
        struct gathering {
            gathering(resolver<outcomes> r, std::size_t n) : out(std::move(r)), slots(n), left(n) {}
            void fulfil() {
                outcomes all;
                all.reserve(slots.size());
                for (auto& slot : slots) all.push_back(std::move(*slot));
                out(std::move(all));
            }
            resolver<outcomes> out;
            std::vector<std::optional<result<T>>> slots;
            std::size_t left;
        };
        promise<outcomes> out;
        const auto shared = std::make_shared<gathering>(out.make_resolver(), from.size());
        each(from, shared->out, [shared](std::size_t i, const promise<T>& source) {
            if (source.is_rejected()) shared->slots[i].emplace(fault_of(source.state_->exception()));
            else if constexpr (std::is_void_v<T>) shared->slots[i].emplace();
            else shared->slots[i].emplace(*source.state_->value);
            if (--shared->left == 0) shared->fulfil();
        });
        if (from.empty()) shared->fulfil();
        return out;
    }

    static promise<T> any(const list& from) {
        struct gathering {
            gathering(resolver<T> r, std::size_t n) : out(std::move(r)), faults(n), left(n) {}
            void refuse() { out.reject(std::make_exception_ptr(aggregate_error(std::move(faults)))); }
            resolver<T> out;
            std::vector<fault> faults;
            std::size_t left;
        };
        promise<T> out;
        const auto shared = std::make_shared<gathering>(out.make_resolver(), from.size());
        each(from, shared->out, [shared](std::size_t i, const promise<T>& source) {
            if (!source.is_rejected()) return source.pass_on(shared->out);
            shared->faults[i] = fault_of(source.state_->exception());
            if (--shared->left == 0) shared->refuse();
        });
        if (from.empty()) shared->refuse();
        return out;
    }

    static promise<T> race(const list& from) {
        promise<T> out;
        const resolver<T> settle = out.make_resolver();
        each(from, settle, [settle](std::size_t, const promise<T>& source) { source.pass_on(settle); });
        return out;
    }

private:
    /// Calls `fn(index, promise)` when each is settled; what it throws, a copy of a value say, rejects.
    template <class Out, class F>
    static void each(const list& from, const Out& out, F fn) {
        for (std::size_t i = 0; i < from.size(); ++i) {
            from[i].on_settled([out, fn, i](const promise<T>& source) {
                try {
                    fn(i, source);
                } catch (...) {
                    out.reject(std::current_exception());
                }
            });
        }
    }
    static fault fault_of(const std::exception_ptr& e) {
        try {
            std::rethrow_exception(e);
        } catch (...) {
            return current_fault();
        }
    }
};

}  // namespace detail
}  // namespace rondo::inline v0
