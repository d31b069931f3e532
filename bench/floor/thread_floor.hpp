// The floor for what two threads do with each other, each with a ring of its own.
#pragma once

#include <cstdint>

/// Two parked threads wake each other by IORING_OP_MSG_RING, n round trips.
void cross_thread(std::uint64_t n);

/// One thread posts n nodes in bursts to another, which is woken only when it is parked.
void cross_thread_burst(std::uint64_t n);
