#include <rondo/redis/options.hpp>

#include <string>
#include <string_view>

#include <rondo/error.hpp>
#include <rondo/redis/error.hpp>

#include "part_of.hpp"
#include "support/catch.hpp"

namespace redis = rondo::redis;
using redis::options;

namespace {

std::string where(std::string_view url) { return options(url).where().to_string(); }

std::string refusal(std::string_view url) {
    try {
        const options o(url);
        return "taken: " + o.where().to_string();
    } catch (const rondo::error& e) {
        return e.what();
    }
}

}  // namespace

TEST_CASE("a redis URL names address, port and database") {
    CHECK(where("redis://10.0.0.7:6380") == "10.0.0.7:6380");
    CHECK(where("redis://10.0.0.7") == "10.0.0.7:6379");
    CHECK(where("redis://localhost:7000/3") == "127.0.0.1:7000");
    CHECK(where("redis://[::1]:6380/1") == "[::1]:6380");
    CHECK(where("redis://[::1]") == "[::1]:6379");
    CHECK(options("redis://10.0.0.7").database() == 0);
    CHECK(options("redis://10.0.0.7/").database() == 0);
    CHECK(options("redis://10.0.0.7:1/12").database() == 12);
    CHECK(options("redis://10.0.0.7?db=4").database() == 4);
}

TEST_CASE("a unix URL names a path and perhaps a database") {
    CHECK(where("unix:/run/redis.sock") == "unix:/run/redis.sock");
    CHECK(where("unix:///run/redis.sock") == "unix:/run/redis.sock");
    CHECK(where("unix:/run/a%20b%3f.sock") == "unix:/run/a b?.sock");
    CHECK(options("unix:/run/redis.sock?db=2").database() == 2);
    CHECK(options("unix:/run/redis.sock").database() == 0);
    CHECK(options("unix://:secret@/run/redis.sock?db=5").password() == "secret");
    CHECK(where("unix://u:secret@/run/redis.sock?db=5") == "unix:/run/redis.sock");
}

TEST_CASE("user and password are percent-decoded") {
    const options o("redis://app:s%40crt%2F%3a@10.0.0.7:1");
    CHECK(o.user() == "app");
    CHECK(o.password() == "s@crt/:");
    CHECK(options("redis://:only@10.0.0.7").user().empty());
    CHECK(options("redis://:only@10.0.0.7").password() == "only");
    CHECK(options("redis://a%3Ab:p:q@10.0.0.7").user() == "a:b");
    CHECK(options("redis://a%3Ab:p:q@10.0.0.7").password() == "p:q");
    CHECK(options("redis://u:p@ss@10.0.0.7:9").password() == "p@ss");
    CHECK(where("redis://u:p@ss@10.0.0.7:9") == "10.0.0.7:9");
}

TEST_CASE("a URL that cannot be used says what is wrong and hides the password") {
    CHECK(refusal("redis://10.0.0.7:1/x") ==
          "redis URL 'redis://10.0.0.7:1/x': invalid argument: the database must be a number");
    CHECK_PART(refusal("redis://u:secret@10.0.0.7/-1"), "'redis://***@10.0.0.7/-1'");
    CHECK_PART(refusal("redis://u:sec%zz@10.0.0.7"), "a % that two hexadecimal digits do not follow");
    CHECK(refusal("redis://u:sec%zz@10.0.0.7").find("sec") == std::string::npos);
    CHECK_PART(refusal("redis://cache.internal:6379"), "not supported: names are not looked up yet; write an address");
    CHECK_PART(refusal("rediss://10.0.0.7"), "not supported: rediss:// needs TLS, which is not built yet");
    CHECK_PART(refusal("http://10.0.0.7"), "a redis URL starts with redis:// or unix:");
    CHECK_PART(refusal("10.0.0.7:6379"), "a redis URL starts with redis:// or unix:");
    CHECK_PART(refusal(""), "a redis URL starts with redis:// or unix:");
    CHECK_PART(refusal("redis:10.0.0.7"), "write redis://address");
    CHECK_PART(refusal("redis://"), "an address is missing");
    CHECK_PART(refusal("redis://:6379"), "an address is missing");
    CHECK_PART(refusal("redis://[::1"), "a '[' without its ']'");
    CHECK_PART(refusal("redis://10.0.0.7:port"), "the port must be a number from 0 to 65535");
    CHECK_PART(refusal("redis://10.0.0.7:70000"), "the port must be a number from 0 to 65535");
    CHECK_PART(refusal("redis://300.0.0.7"), "not an IPv4 address");
    CHECK_PART(refusal("redis://user@10.0.0.7"), "a user without a password");
    CHECK_PART(refusal("redis://user:@10.0.0.7"), "the password is empty");
    CHECK_PART(refusal("redis://10.0.0.7?timeout=3"), "the only setting after '?' is db=number");
    CHECK_PART(refusal("unix:relative"), "the path must be absolute");
    CHECK_PART(refusal("unix://host/path"), "a unix socket has no host");
    CHECK_PART(refusal("unix:/run/s?db=-1"), "the database must be a number");
}

TEST_CASE("a misspelt URL does not give its password away either") {
    CHECK_PART(refusal("redis:app:secret@10.0.0.7"), "'redis:***@10.0.0.7'");
    CHECK_PART(refusal("redis//app:secret@10.0.0.7"), "'***@10.0.0.7'");
    CHECK_PART(refusal("app:secret@10.0.0.7"), "'***@10.0.0.7'");
    CHECK_PART(refusal("redis://:sec/ret@10.0.0.7"), "'redis:***@10.0.0.7'");
    CHECK_PART(refusal("x//y://app:secret@10.0.0.7"), "'x//y://***@10.0.0.7'");
    CHECK_PART(refusal("unix:/run/a@b.sock?db=x"), "'unix:/run/a@b.sock?db=x'");
}

TEST_CASE("a refused URL is shown without control characters") {
    CHECK_PART(refusal("redis://10.0.0.7/\r\n\x7f"), "'redis://10.0.0.7/?\?\?'");
    CHECK_PART(refusal("redis://10.0.0.7\n:1"), "'redis://10.0.0.7?:1'");
}

TEST_CASE("unsupported and invalid URLs have codes of their own") {
    const auto code = [](std::string_view url) {
        try {
            const options o(url);
            return std::error_code();
        } catch (const rondo::error& e) {
            return e.code();
        }
    };
    CHECK(code("rediss://10.0.0.7") == redis::errc::unsupported);
    CHECK(code("redis://name") == redis::errc::unsupported);
    CHECK(code("redis://10.0.0.7/x") == rondo::errc::invalid_argument);
}

TEST_CASE("settings chain and override the URL") {
    const auto o = options("redis://u:p@10.0.0.7/1").user("v").password("q").database(2).protocol(2).max_waiting(5);
    CHECK(o.user() == "v");
    CHECK(o.password() == "q");
    CHECK(o.database() == 2);
    CHECK(o.protocol() == 2);
    CHECK(o.max_waiting() == 5);
}

TEST_CASE("limits that would let nothing through are refused by name") {
    CHECK_THROWS_WITH(redis::options("redis://127.0.0.1").max_waiting(0),
                      "max_waiting: invalid argument: must be at least 1");
    CHECK_THROWS_WITH(redis::options("redis://127.0.0.1").max_blocking(0),
                      "max_blocking: invalid argument: must be at least 1");
}
