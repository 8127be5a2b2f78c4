// First come, first served; the answer is sent ahead and delivered when service ends.
// Leaves out priorities and preemption.
#include "hardware/machine/server.hpp"

#include <algorithm>
#include <utility>

namespace kvtraffic::hardware {

Server::Server(std::string name, sim::Bound resource, sim::Bandwidth rate)
    : Component(std::move(name)), resource_(resource), rate_(rate) {}

void Server::reset(sim::Instant base) {
  free_ = base;
  busy_ = {};
}

void Server::advance(sim::Instant now) {
  while (const auto request = requests.receive(now)) {
    const sim::Instant began = std::max(now, free_);
    const sim::Bandwidth rate = request->rate.is_zero() ? rate_ : request->rate;
    const sim::Duration service = sim::time_to_move(sim::Bytes::of(request->bytes), rate);
    free_ = began + service;
    busy_ += service;
    const sim::Duration taken = free_ - now;
    const Reply reply{request->lane, request->buffer, request->write, resource_, began, taken};
    replies.send(now, reply, std::max(sim::tick, taken + request->acknowledge));
  }
}

}  // namespace kvtraffic::hardware
