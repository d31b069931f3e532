#include "demo/flags.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using demo::flag_error;
using demo::flags;
using demo::part;

namespace {

flags parsed(const std::vector<const char*>& arguments) {
    std::vector<const char*> argv{"demo"};
    for (const char* const a : arguments) argv.push_back(a);
    return demo::parse_flags(static_cast<int>(argv.size()), argv.data());
}

std::string complaint(const std::vector<const char*>& arguments) {
    try {
        parsed(arguments);
    } catch (const flag_error& e) {
        return e.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("without flags the demo runs all three parts at full length and judges the time") {
    const flags f = parsed({});
    CHECK(f.scale == 1.0);
    CHECK(f.parts == std::vector{part::timers, part::redis, part::http});
    CHECK(f.time_check);
    CHECK_FALSE(f.blocking);
    CHECK_FALSE(f.plain);
    CHECK(f.redis_url.empty());
    CHECK(f.http_url.empty());
}

TEST_CASE("a flag's value comes as the next argument or after an equals sign") {
    CHECK(parsed({"--scale", "0.1"}).scale == 0.1);
    CHECK(parsed({"--scale=0.1"}).scale == 0.1);
    CHECK(parsed({"--only", "redis"}).parts == std::vector{part::redis});
    CHECK(parsed({"--only=http"}).parts == std::vector{part::http});
    CHECK(parsed({"--redis", "redis://127.0.0.1:6379"}).redis_url == "redis://127.0.0.1:6379");
    CHECK(parsed({"--http=http://127.0.0.1:80/slow"}).http_url == "http://127.0.0.1:80/slow");
}

TEST_CASE("switches turn on what they name") {
    const flags f = parsed({"--blocking", "--plain", "--no-time-check"});
    CHECK(f.blocking);
    CHECK(f.plain);
    CHECK_FALSE(f.time_check);
    CHECK(parsed({"--help"}).help);
    CHECK(parsed({"-h"}).help);
}

TEST_CASE("a bad flag is named in the complaint") {
    CHECK(complaint({"--fast"}) == "--fast: unknown flag");
    CHECK(complaint({"now"}) == "now: unknown flag");
    CHECK(complaint({"--scale"}) == "--scale must be followed by a number");
    CHECK(complaint({"--scale", "--plain"}) == "--scale must be followed by a number");
    CHECK(complaint({"--scale="}) == "--scale must be followed by a number");
    CHECK(complaint({"--only"}) == "--only must be followed by timers, redis or http");
    CHECK(complaint({"--only", "ftp"}) == "--only: 'ftp' is none of timers, redis, http");
    CHECK(complaint({"--plain=yes"}) == "--plain: takes no value, but got 'yes'");
}

TEST_CASE("a URL that cannot be one is a bad flag, named with what is wrong") {
    CHECK(complaint({"--redis", "redis:/x"}).starts_with("--redis: redis URL 'redis:/x': "));
    CHECK(complaint({"--redis=http://127.0.0.1"}).starts_with("--redis: redis URL 'http://127.0.0.1': "));
    CHECK(complaint({"--http", "127.0.0.1:80"}).starts_with("--http: URL \"127.0.0.1:80\": "));
    CHECK(complaint({"--http", "http://example.org/"}).starts_with("--http: URL \"http://example.org/\": "));
}

TEST_CASE("a scale is a number from 0.001 to 100") {
    for (const char* const bad : {"0", "-1", "0.0009", "100.1", "1x", "x", "nan", "inf", "1 ", "0x1"})
        CHECK(complaint({"--scale", bad}) == "--scale: '" + std::string(bad) + "' is not a number from 0.001 to 100");
    CHECK(parsed({"--scale", "0.001"}).scale == 0.001);
    CHECK(parsed({"--scale", "100"}).scale == 100.0);
}

TEST_CASE("a flag for a part that --only leaves out is refused") {
    CHECK(complaint({"--only", "timers", "--redis", "unix:///s"}) == "--redis: the redis part is left out by --only");
    CHECK(complaint({"--http", "http://127.0.0.1", "--only", "redis"}) ==
          "--http: the http part is left out by --only");
    CHECK(complaint({"--blocking", "--only=http"}) == "--blocking: the timers part is left out by --only");
}
