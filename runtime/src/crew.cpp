#include "crew.hpp"

#include <string>

#include <rondo/context.hpp>
#include <rondo/error.hpp>

#include "context.hpp"
#include "meters.hpp"

namespace rondo::inline v0::detail {

crew::crew(const runtime_options& options, submitted_list& first)
    : first_(remote_context::current()),
      first_list_(first),
      pool_(std::make_shared<blocking_pool>(options.blocking_threads())) {
    if (options.clock() != nullptr || options.system() != nullptr)
        throw error(fault(errc::invalid_argument, "runtime_options::threads")
                        .detail(std::to_string(options.threads()) +
                                " with a virtual clock or a simulated system, whose time is that of one context"));
    others_.reserve(options.threads() - 1);
    for (unsigned n = 1; n < options.threads(); ++n)
        others_.push_back(std::make_unique<context_thread>(options, this, n));
}

crew::~crew() = default;

const remote_context& crew::home(std::size_t index) const noexcept {
    return index == 0 ? first_ : others_[index - 1]->home;
}

submitted_list& crew::list(std::size_t index) const noexcept {
    return index == 0 ? first_list_ : others_[index - 1]->submitted;
}

void crew::stop(std::optional<std::int64_t> grace) noexcept {
    for (const auto& t : others_) t->stop(grace);
}

void crew::join() {
    for (const auto& t : others_) t->join();
}

}  // namespace rondo::inline v0::detail

namespace rondo::inline v0 {

namespace {
detail::context& running() {
    if (detail::tls.context == nullptr) detail::throw_no_context();
    return *detail::tls.context;
}
}  // namespace

context context::current() {
    const detail::context& c = running();
    return context(detail::remote_context::current(), c.submissions(), c.index());
}

metrics context::metrics() const noexcept { return home_.counts().snapshot(); }

std::size_t context::count() {
    const detail::crew* const all = running().others();
    return all != nullptr ? all->size() : 1;
}

context context::at(std::size_t index) {
    const detail::crew* const all = running().others();
    const std::size_t size = count();
    if (index >= size)
        throw error(fault(errc::invalid_argument, "context::at(" + std::to_string(index) + ")")
                        .detail("this run has " + std::to_string(size) + (size == 1 ? " context" : " contexts") +
                                "; see runtime_options::threads"));
    if (all == nullptr) return current();
    return context(all->home(index), all->list(index), index);
}

}  // namespace rondo::inline v0
