#include <rondo/detail/io_operation.hpp>

#include <cerrno>

#include "context.hpp"
#include "report_line.hpp"

namespace rondo::inline v0::detail {

const io_ops io_operation::ops_table{{&io_operation::cancel, &io_operation::describe}, nullptr};

bool io_operation::begin() noexcept {
    tls.context->start(*this, false);
    return true;
}

void io_operation::begin_background() noexcept { tls.context->start(*this, true); }

void io_operation::request_cancel() noexcept {
    if (in_flight_) tls.context->cancel_operation(*this);
}

void io_operation::complete_wait(io_operation& op) noexcept {
    if (op.res == -ECANCELED && op.waiting->reason != cancel_reason::none) complete_cancelled(op);
    else complete(op);
}

void io_operation::cancel(leaf& l, worklist&) noexcept { static_cast<io_operation&>(l).request_cancel(); }

void io_operation::describe(const leaf& l, report_line& out) {
    const auto& self = static_cast<const io_operation&>(l);
    switch (self.request.code) {
        case io_code::nop: out.text("nop"); return;
        case io_code::read: out.text("read"); break;
        case io_code::write: out.text("write"); break;
        case io_code::receive: out.text("receive"); break;
        case io_code::send: out.text("send"); break;
        case io_code::accept: out.text("accept"); break;
        case io_code::connect: out.text("connect"); break;
        case io_code::poll: out.text("poll"); break;
    }
    out.text(" on fd ");
    out.number(self.request.fd);
}

}  // namespace rondo::inline v0::detail
