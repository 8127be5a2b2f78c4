// First come, first served; the answer is sent ahead and delivered when service ends.
// Leaves out priorities and preemption.
#include "hardware/machine/server.hpp"

#include <algorithm>
#include <utility>

namespace kvtraffic::hardware {

Reply admission(const Request& load, sim::Instant now) {
  return {.lane = load.lane,
          .buffer = load.buffer,
          .write = false,
          .admits = true,
          .serves = false,
          .server = sim::Bound::hbm,
          .began = now,
          .ended = now,
          .taken = {}};
}

Server::Server(std::string name, sim::Bound resource, sim::Bandwidth rate)
    : MemoryServer(std::move(name)), resource_(resource), rate_(rate) {}

void Server::reset(sim::Instant base) {
  free_ = base;
  busy_ = {};
}

void Server::advance(sim::Instant now) {
  while (const auto request = requests.receive(now)) {
    const sim::Instant began = std::max(now, free_);
    const sim::Duration service = sim::time_to_move(sim::Bytes::of(request->bytes), rate_);
    free_ = began + service;
    busy_ += service;
    const sim::Duration taken = free_ - now;
    const Reply reply{.lane = request->lane,
                      .buffer = request->buffer,
                      .write = request->write,
                      .server = resource_,
                      .began = began,
                      .ended = free_,
                      .taken = taken};
    replies.send(now, reply, std::max(sim::tick, taken + request->acknowledge));
  }
}

}  // namespace kvtraffic::hardware
