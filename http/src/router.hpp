// From a path and a method to a handler.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <rondo/http/detail/route_handler.hpp>
#include <rondo/http/method.hpp>
#include <rondo/http/request.hpp>
#include <rondo/http/response.hpp>

namespace rondo::inline v0 {
namespace http {
namespace detail {

/// A tree with one level per path segment. A search visits a node at most once, and takes literal segments first.
class RONDO_API router {
public:
    /// **Errors**: error(errc::invalid_argument).
    void add(http::method m, std::string_view pattern, std::unique_ptr<route_handler> h);

    /// A handler, or else the answer to give without one.
    struct match {
        route_handler* handler = nullptr;
        response answer;
    };
    /// Sets the request's parameters when there is a handler.
    match find(request& r) const;

private:
    static constexpr std::size_t method_count = 8;

    struct route {
        std::unique_ptr<route_handler> handler;
        std::vector<std::string> names;  // of the {…} on the way
    };
    struct node {
        std::map<std::string, std::unique_ptr<node>, std::less<>> literal;
        std::unique_ptr<node> any;
        std::array<route, method_count> routes;
        bool is_end() const noexcept;
    };

    static node& child(node& parent, std::string_view segment, std::vector<std::string>& names);
    static const node* descend(const node& at, std::string_view rest, std::vector<std::string>& values);
    static std::string allowed(const std::array<route, method_count>& routes);

    node root_;
};

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
