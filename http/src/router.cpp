#include "router.hpp"

#include <algorithm>
#include <optional>

#include <rondo/error.hpp>

#include "grammar.hpp"

namespace rondo::inline v0 {
namespace http {
namespace detail {

route_handler::~route_handler() = default;

namespace {

[[noreturn]] void refuse(std::string_view pattern, const char* why) {
    throw error(fault(v0::errc::invalid_argument, "route \"" + std::string(pattern) + "\"").detail(why));
}

std::size_t index(http::method m) noexcept { return static_cast<std::size_t>(m); }

// nullopt for a malformed escape and for NUL, which cuts names short in the systems a handler may pass it to.
std::optional<std::string> percent_decoded(std::string_view s) {
    std::string out;
    out.reserve(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] != '%') {
            out += s[i];
            continue;
        }
        if (s.size() - i < 3 || !is(chars::hex, s[i + 1]) || !is(chars::hex, s[i + 2])) return std::nullopt;
        const unsigned byte = hex_value(s[i + 1]) * 16 + hex_value(s[i + 2]);
        if (byte == 0) return std::nullopt;
        out += static_cast<char>(byte);
        i += 2;
    }
    return out;
}

// Takes the next segment off a path that starts with a slash; "/" has one, an empty one.
std::string_view next_segment(std::string_view& path) noexcept {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

}  // namespace

bool router::node::is_end() const noexcept {
    return std::any_of(routes.begin(), routes.end(), [](const route& r) { return r.handler != nullptr; });
}

router::node& router::child(node& parent, std::string_view segment, std::vector<std::string>& names) {
    if (!segment.starts_with('{')) {
        std::unique_ptr<node>& next = parent.literal[std::string(segment)];
        if (!next) next = std::make_unique<node>();
        return *next;
    }
    names.emplace_back(segment.substr(1, segment.size() - 2));
    if (!parent.any) parent.any = std::make_unique<node>();
    return *parent.any;
}

void router::add(http::method m, std::string_view pattern, std::unique_ptr<route_handler> h) {
    if (!pattern.starts_with('/')) refuse(pattern, "it must start with /");
    if (!all(chars::target, pattern) || pattern.find_first_of("?%") != std::string_view::npos)
        refuse(pattern, "it must be a path, not percent-encoded");
    std::vector<std::string_view> segments;
    for (std::string_view rest = pattern; !rest.empty();) segments.push_back(next_segment(rest));
    for (const std::string_view s : segments) {
        const bool named = s.size() > 2 && s.front() == '{' && s.back() == '}';
        const std::string_view inside = named ? s.substr(1, s.size() - 2) : s;
        if (inside.find_first_of("{}") != std::string_view::npos) refuse(pattern, "a {name} is a whole segment");
        if (named && std::count(segments.begin(), segments.end(), s) > 1) refuse(pattern, "a {name} comes twice");
    }

    node* at = &root_;
    std::vector<std::string> names;
    for (const std::string_view s : segments) at = &child(*at, s, names);
    route& r = at->routes[index(m)];
    if (r.handler) refuse(pattern, "it has a handler for this method already");
    r = {std::move(h), std::move(names)};
}

// `rest` is not decoded as a whole: an escaped slash belongs to its segment.
const router::node* router::descend(const node& at, std::string_view rest, std::vector<std::string>& values) {
    if (rest.empty()) return at.is_end() ? &at : nullptr;
    const std::string_view raw = next_segment(rest);
    std::string decoded;
    if (raw.find('%') != std::string_view::npos) decoded = percent_decoded(raw).value();
    const std::string_view segment = decoded.empty() ? raw : decoded;

    if (const auto it = at.literal.find(segment); it != at.literal.end())
        if (const node* const found = descend(*it->second, rest, values)) return found;
    if (!at.any || segment.empty()) return nullptr;
    values.emplace_back(segment);
    if (const node* const found = descend(*at.any, rest, values)) return found;
    values.pop_back();
    return nullptr;
}

std::string router::allowed(const std::array<route, method_count>& routes) {
    std::string out;
    for (std::size_t i = 0; i < routes.size(); ++i) {
        const auto m = static_cast<http::method>(i);
        const bool ours = m == method::options || (m == method::head && routes[index(method::get)].handler);
        if (!ours && !routes[i].handler) continue;
        if (!out.empty()) out += ", ";
        out += to_string(m);
    }
    return out;
}

router::match router::find(request& r) const {
    r.params_.clear();
    if (r.target() == "*") return {nullptr, response(204)};
    const std::string_view path = r.path();
    const bool escaped = path.find('%') != std::string_view::npos;
    if (!path.starts_with('/') || (escaped && !percent_decoded(path))) return {nullptr, response(400)};

    std::vector<std::string> values;
    const node* const end = descend(root_, path, values);
    if (!end) return {nullptr, response(404)};
    const bool head_by_get = r.method() == method::head && !end->routes[index(method::head)].handler;
    const route& found = end->routes[index(head_by_get ? method::get : r.method())];
    if (!found.handler) {
        match none{nullptr, response(r.method() == method::options ? 204 : 405)};
        none.answer.header("Allow", allowed(end->routes));
        return none;
    }
    for (std::size_t i = 0; i < values.size(); ++i) r.params_.emplace_back(found.names[i], std::move(values[i]));
    return {found.handler.get(), response()};
}

}  // namespace detail
}  // namespace http
}  // namespace rondo::inline v0
