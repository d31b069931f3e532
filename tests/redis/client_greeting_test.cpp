// How a client introduces itself, and what becomes of it when the server refuses.
#include <rondo/redis/client.hpp>

#include <string>
#include <system_error>

#include <rondo/spawn.hpp>

#include "client_jobs.hpp"
#include "part_of.hpp"
#include "script_server.hpp"
#include "support/catch.hpp"

namespace redis = rondo::redis;
using namespace redis_test;
using rondo::result;
using rondo::spawn;
using rondo::task;

TEST_CASE("connecting greets the server in one write") {
    run_test([]() -> task<void> {
        script_server server;
        auto connecting = spawn(try_connect(redis::options(server.url("/5")).user("app").password("s3")));
        script_peer peer = co_await server.accept();
        co_await peer.expect(
            "*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$3\r\napp\r\n$2\r\ns3\r\n"
            "*2\r\n$6\r\nSELECT\r\n$1\r\n5\r\n");
        co_await let_others_run();
        CHECK_FALSE(connecting.is_done());
        co_await peer.send(std::string(hello_reply) + "+OK\r\n");
        const result<redis::client> db = co_await connecting.join();
        CHECK(db.has_value());
        co_await check_in_step(db.value(), peer);
    }());
}

TEST_CASE("a password without a user is that of the default user") {
    run_test([]() -> task<void> {
        script_server server;
        auto connecting = spawn(try_connect(redis::options(server.url()).password("s3")));
        script_peer peer = co_await server.accept();
        co_await peer.expect("*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n$2\r\ns3\r\n");
        co_await peer.send(std::string(hello_reply));
        const result<redis::client> db = co_await connecting.join();
        CHECK(db.has_value());
    }());
}

TEST_CASE("a server that knows no HELLO is greeted the old way") {
    for (const char* refusal : {"-ERR unknown command `HELLO`, with args beginning with: `3`, \r\n",
                                "-ERR unknown command 'hello'\r\n", "-NOPROTO sorry\r\n"}) {
        run_test([](std::string refused) -> task<void> {
            script_server server;
            auto connecting = spawn(try_connect(redis::options(server.url("/5")).password("s3")));
            script_peer peer = co_await server.accept();
            co_await peer.expect(
                "*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n$2\r\ns3\r\n"
                "*2\r\n$6\r\nSELECT\r\n$1\r\n5\r\n");
            co_await peer.send(refused + "-NOAUTH Authentication required.\r\n");
            co_await peer.expect("*2\r\n$4\r\nAUTH\r\n$2\r\ns3\r\n");  // alone in its round
            co_await peer.send("+OK\r\n");
            co_await peer.expect("*2\r\n$6\r\nSELECT\r\n$1\r\n5\r\n");
            co_await peer.send("+OK\r\n");
            const result<redis::client> db = co_await connecting.join();
            CHECK(db.has_value());
            co_await check_in_step(db.value(), peer);
        }(refusal));
    }
}

TEST_CASE("a server that hangs up on HELLO is tried once more without") {
    run_test([]() -> task<void> {
        script_server server;
        auto connecting = spawn(try_connect(server.url()));
        {
            script_peer first = co_await server.accept();
            co_await first.expect(std::string(hello));
        }
        script_peer second = co_await server.accept();
        co_await second.expect("*1\r\n$4\r\nPING\r\n");
        co_await second.send("+PONG\r\n");
        const result<redis::client> db = co_await connecting.join();
        CHECK(db.has_value());
        co_await check_in_step(db.value(), second);
    }());
}

TEST_CASE("protocol 2 never says HELLO") {
    run_test([]() -> task<void> {
        script_server server;
        auto connecting = spawn(try_connect(redis::options(server.url()).user("u").password("p").protocol(2)));
        script_peer peer = co_await server.accept();
        co_await peer.expect("*3\r\n$4\r\nAUTH\r\n$1\r\nu\r\n$1\r\np\r\n");
        co_await peer.send("+OK\r\n");
        co_await peer.expect("*1\r\n$4\r\nPING\r\n");
        co_await peer.send("+PONG\r\n");
        const result<redis::client> db = co_await connecting.join();
        CHECK(db.has_value());
    }());
}

TEST_CASE("a refused greeting is the connect error, in the server's words") {
    struct row {
        const char* reply;
        const char* text;
    };
    for (const row& r : {row{"-WRONGPASS invalid username-password pair\r\n", "server error: WRONGPASS invalid"},
                         row{"-NOAUTH HELLO must be called with the client already authenticated\r\n",
                             "already authenticated; give the password in the URL"},
                         row{"-ERR max number of clients reached\r\n", "server error: ERR max number of clients"},
                         row{"HTTP/1.1 400 Bad Request\r\n", "is this an HTTP server?"},
                         row{"+OK\r\n", "protocol error: HELLO answered with +OK"}}) {
        run_test([](std::string reply, std::string expected) -> task<void> {
            script_server server;
            auto connecting = spawn(try_connect(server.url()));
            script_peer peer = co_await server.accept();
            co_await peer.send(reply);  // a full server speaks and hangs up before it has read anything
            peer.close();
            const result<redis::client> db = co_await connecting.join();
            CHECK_PART(fault_of(db).text(), server.address() + ": ");
            CHECK_PART(fault_of(db).text(), expected);
        }(r.reply, r.text));
    }
}

TEST_CASE("a refused SELECT is the connect error") {
    run_test([]() -> task<void> {
        script_server server;
        auto connecting = spawn(try_connect(server.url("/99")));
        script_peer peer = co_await server.accept();
        co_await peer.send(std::string(hello_reply) + "-ERR DB index is out of range\r\n");
        const result<redis::client> db = co_await connecting.join();
        CHECK(fault_of(db).text() == "connect " + server.address() + ": server error: ERR DB index is out of range");
        co_await peer.expect(std::string(hello) + "*2\r\n$6\r\nSELECT\r\n$2\r\n99\r\n");
        co_await peer.expect_end();
    }());
}

TEST_CASE("a server that is not there is the connect error") {
    run_test([]() -> task<void> {
        std::string url;
        {
            const script_server gone;
            url = gone.url();
        }
        const result<redis::client> db = co_await try_connect(url);
        CHECK(fault_of(db).code() == std::errc::connection_refused);
    }());
}

TEST_CASE("a cancelled connect closes its socket") {
    run_test([]() -> task<void> {
        script_server server;
        auto connecting = spawn(try_connect(server.url()));
        script_peer peer = co_await server.accept();
        co_await peer.expect(std::string(hello));
        connecting.cancel();
        co_await peer.expect_end();
    }());
}
