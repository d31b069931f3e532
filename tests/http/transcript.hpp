// Drives the codec over a connection's bytes and says in one line what came of it (see cases/*.tsv).
#pragma once

#include <rondo/http/body_decoder.hpp>
#include <rondo/http/request_parser.hpp>
#include <rondo/http/response_parser.hpp>
#include <rondo/http/status.hpp>

#include "cases.hpp"

namespace transcript {

inline std::string fields(const rondo::http::headers& h) {
    std::string out;
    for (const auto f : h) {
        if (!out.empty()) out += ", ";
        out.append(f.name).append(": ").append(cases::escape(f.value));
    }
    return out;
}

inline std::string body_and_trailers(const std::string& body, const rondo::http::headers& trailers) {
    std::string out;
    if (!body.empty()) out += " \"" + cases::escape(body) + "\"";
    if (!trailers.empty()) out += " {" + fields(trailers) + "}";
    return out;
}

/// What a server reads from a connection, given in pieces.
class requests {
public:
    void feed(std::string_view in) {
        rondo::bytes left(in);
        while (!left.empty() && !over_) {
            const std::size_t used = parser_.done() ? feed_body(left) : parser_.feed(left);
            left = left.drop(used);
            if (parser_.failed()) refuse(parser_.error());
            else if (parser_.done() && !in_body_) open_body();
            if (in_body_ && body_.failed()) refuse(body_.error());
            else if (in_body_ && body_.done()) close_body();
        }
    }

    /// The verdict once all bytes were fed.
    std::string text() const {
        std::string out = out_;
        if (!over_ && (in_body_ || parser_.started())) add(out, "more");
        return out;
    }

private:
    static void add(std::string& out, const std::string& item) { out += (out.empty() ? "" : " | ") + item; }

    void refuse(rondo::http::errc e) {
        add(out_, std::to_string(rondo::http::status_for(e)) + " " + make_error_code(e).message());
        over_ = true;
    }
    void open_body() {
        in_body_ = true;
        data_.clear();
        body_ = rondo::http::body_decoder(parser_.framing(), rondo::http::limits());
    }
    std::size_t feed_body(rondo::bytes in) {
        const auto piece = body_.feed(in);
        data_ += piece.data.text();
        return piece.used;
    }
    void close_body() {
        const rondo::http::request& r = parser_.request();
        add(out_, std::string(to_string(r.method())) + " " + cases::escape(r.target()) +
                      (parser_.expects_continue() ? " expects" : "") + body_and_trailers(data_, body_.trailers()));
        in_body_ = false;
        over_ = !parser_.keep_alive();
        if (over_) add(out_, "close");
        parser_.reset();
    }

    rondo::http::request_parser parser_;
    rondo::http::body_decoder body_;
    bool in_body_ = false;
    bool over_ = false;
    std::string data_, out_;
};

/// What a client reads as the answer to one request, until the peer closes.
class response {
public:
    explicit response(rondo::http::method asked) : parser_(asked) {}

    void feed(std::string_view in) {
        rondo::bytes left(in);
        while (!left.empty() && !over_) {
            if (!parser_.done()) {
                left = left.drop(parser_.feed(left));
                open_body();
            } else if (!body_.done()) {
                const auto piece = body_.feed(left);
                data_ += piece.data.text();
                left = left.drop(piece.used);
            } else {
                surplus_ += left.size();
                left = {};
            }
            if (parser_.done() && body_.failed()) refuse(body_.error());
        }
    }

    /// The verdict once the peer has closed.
    std::string close() {
        if (over_) return out_;
        if (!parser_.done()) {
            const bool any = parser_.started() || !out_.empty();
            refuse(any ? rondo::http::errc::incomplete : rondo::http::errc::no_response);
            return out_;
        }
        body_.end();
        if (body_.failed()) {
            refuse(body_.error());
            return out_;
        }
        using kind = rondo::http::framing::kind;
        const rondo::http::response& r = parser_.response();
        std::string item = std::to_string(r.status());
        if (const auto x = r.header("x")) item.append(" [X: ").append(*x).append("]");
        item += body_and_trailers(data_, body_.trailers());
        if (parser_.framing().how == kind::until_close) item += " until close";
        else if (!parser_.keep_alive()) item += " then close";
        if (surplus_ > 0) item += " and " + std::to_string(surplus_) + " more";
        add(item);
        return out_;
    }

private:
    void add(const std::string& item) { out_ += (out_.empty() ? "" : " | ") + item; }
    void refuse(rondo::http::errc e) {
        add(make_error_code(e).message());
        over_ = true;
    }
    void open_body() {
        if (parser_.failed()) refuse(parser_.error());
        if (!parser_.done()) return;
        const int status = parser_.response().status();
        if (rondo::http::is_interim(status)) {
            add(std::to_string(status));
            parser_.reset();
        } else body_ = rondo::http::body_decoder(parser_.framing(), rondo::http::limits());
    }

    rondo::http::response_parser parser_;
    rondo::http::body_decoder body_;
    std::size_t surplus_ = 0;
    bool over_ = false;
    std::string data_, out_;
};

}  // namespace transcript
