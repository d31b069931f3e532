#include <rondo/redis/error.hpp>

#include <string>

namespace rondo::inline v0 {
namespace redis {

namespace {

class redis_category final : public std::error_category {
public:
    const char* name() const noexcept override { return "redis"; }
    std::string message(int code) const override {
        switch (static_cast<errc>(code)) {
            case errc::server: return "server error";
            case errc::protocol: return "protocol error";
            case errc::limit_exceeded: return "reply over a limit";
            case errc::conversion: return "reply does not convert";
            case errc::connection_lost: return "connection lost";
            case errc::queue_full: return "command queue is full";
            case errc::unsupported: return "not supported";
        }
        return "unknown redis error";
    }
};

}  // namespace

const std::error_category& category() noexcept {
    static const redis_category instance;
    return instance;
}

std::string_view server_code(const fault& f) noexcept {
    if (f.code() != make_error_code(errc::server)) return {};
    return detail::first_word(f.detail());
}

}  // namespace redis
}  // namespace rondo::inline v0
