#include "flags.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <rondo/error.hpp>
#include <rondo/http/url.hpp>
#include <rondo/redis/options.hpp>

namespace demo {

namespace {

constexpr double least_scale = 0.001, greatest_scale = 100;

double parse_scale(std::string_view text) {
    double value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool number = ec == std::errc() && end == text.data() + text.size();
    if (!number || !(value >= least_scale && value <= greatest_scale))
        throw flag_error(fmt::format("--scale: '{}' is not a number from {} to {}", text, least_scale, greatest_scale));
    return value;
}

std::vector<part> parse_only(std::string_view text) {
    for (const part p : {part::timers, part::redis, part::http})
        if (text == name(p)) return {p};
    throw flag_error(fmt::format("--only: '{}' is none of timers, redis, http", text));
}

// The value of --redis or --http: one that is misspelt is a bad flag, whatever it would have been used for.
template <class Url>
std::string checked_url(std::string_view flag, std::string_view text) {
    try {
        static_cast<void>(Url(text));
    } catch (const rondo::error& e) {
        throw flag_error(fmt::format("{}: {}", flag, e.what()));
    }
    return std::string(text);
}

// The arguments one by one; a flag's value comes after '=' or as the next argument.
class arguments {
public:
    arguments(int argc, const char* const* argv) : next_(argv + (argc > 0 ? 1 : 0)), end_(argv + argc) {}

    bool advance() {
        if (next_ == end_) return false;
        const std::string_view word = *next_++;
        const std::size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
        flag_ = word.substr(0, equals);
        attached_.reset();
        if (equals != word.npos) attached_ = word.substr(equals + 1);
        return true;
    }

    std::string_view flag() const noexcept { return flag_; }

    std::string_view value(std::string_view what) {
        std::string_view v = attached_.value_or("");
        if (!attached_ && next_ != end_ && !std::string_view(*next_).starts_with("--")) v = *next_++;
        if (v.empty()) throw flag_error(fmt::format("{} must be followed by {}", flag_, what));
        return v;
    }

    void no_value() const {
        if (attached_) throw flag_error(fmt::format("{}: takes no value, but got '{}'", flag_, *attached_));
    }

private:
    const char* const* next_;
    const char* const* end_;
    std::string_view flag_;
    std::optional<std::string_view> attached_;
};

void check_together(const flags& f) {
    const auto needs = [&](bool given, const char* flag, part p) {
        if (given && !f.has(p)) throw flag_error(fmt::format("{}: the {} part is left out by --only", flag, name(p)));
    };
    needs(f.blocking, "--blocking", part::timers);
    needs(!f.redis_url.empty(), "--redis", part::redis);
    needs(!f.http_url.empty(), "--http", part::http);
}

}  // namespace

const char* const usage =
    "Ten promises, ten Redis waits and ten HTTP calls of 10, 9, ... 1 seconds, all at the same time on one thread.\n"
    "\n"
    "usage: rondo demo [flags]\n"
    "  --scale X        multiply every wait by X: 0.1 makes it one second (0.001 to 100)\n"
    "  --only PART      timers, redis or http alone\n"
    "  --blocking       the timers are real blocking sleep() calls on a pool of ten threads\n"
    "  --redis URL      use this server (redis://host:port, unix:///path), instead of a private one\n"
    "  --http URL       request URL/<seconds> there, instead of from rondo's own server in this process\n"
    "  --plain          one line for each wait that settles, no bars, also on a terminal\n"
    "  --no-time-check  judge order and completeness, not the time (for busy machines)\n"
    "  --help           this text\n"
    "\n"
    "exit status: 0 as promised; 1 wrong order, wrong time or a failure, which is named; 2 a bad flag\n";

bool flags::has(part p) const noexcept { return std::find(parts.begin(), parts.end(), p) != parts.end(); }

flags parse_flags(int argc, const char* const* argv) {
    flags f;
    arguments args(argc, argv);
    while (args.advance()) {
        const std::string_view flag = args.flag();
        if (flag == "--scale") f.scale = parse_scale(args.value("a number"));
        else if (flag == "--only") f.parts = parse_only(args.value("timers, redis or http"));
        else if (flag == "--redis") f.redis_url = checked_url<rondo::redis::options>(flag, args.value("a URL"));
        else if (flag == "--http") f.http_url = checked_url<rondo::http::url>(flag, args.value("a URL"));
        else {
            bool* const toggle = flag == "--blocking"               ? &f.blocking
                                 : flag == "--plain"                ? &f.plain
                                 : flag == "--help" || flag == "-h" ? &f.help
                                 : flag == "--no-time-check"        ? &f.time_check
                                                                    : nullptr;
            if (toggle == nullptr) throw flag_error(fmt::format("{}: unknown flag", flag));
            args.no_value();
            *toggle = toggle != &f.time_check;
        }
    }
    check_together(f);
    return f;
}

}  // namespace demo
