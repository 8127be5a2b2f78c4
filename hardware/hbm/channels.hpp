// The controllers of a part and its address map, and the steps that every feed is made of.
// Internal to this folder, and to machines that run windows of traffic on a channel.
#pragma once

#include <functional>
#include <vector>

#include "hardware/hbm/address_map.hpp"
#include "hardware/hbm/controller.hpp"
#include "hardware/hbm/memory.hpp"

namespace kvtraffic::hardware::hbm {

// The compiled map of a part. Throws std::invalid_argument for a name that is none, or a map that does not fit.
[[nodiscard]] AddressMap map_of(const Part& part);

class Channels {
 public:
  Channels(const Part& part, const std::function<Listener*(int)>& listen);
  Channels(const Channels&) = delete;  // its controllers point to its plan
  Channels& operator=(const Channels&) = delete;

  [[nodiscard]] std::size_t size() const { return controllers_.size(); }
  [[nodiscard]] Controller& operator[](std::size_t channel) { return controllers_[channel]; }
  // Addresses wrap at the capacity; sources refuse those beyond it unless wrapping was asked for.
  [[nodiscard]] Place place_of(std::uint64_t address) const {
    return map_.decode(address < map_.capacity() ? address : address % map_.capacity());
  }

 private:
  AddressMap map_;
  ControllerPlan plan_;
  std::vector<Controller> controllers_;
};

// Does every edge up to and including `until`.
inline void catch_up(Controller& channel, Tick until) {
  for (Tick edge = channel.next(); edge <= until; edge = channel.next()) channel.advance(edge);
}
// Runs until every request has been answered.
inline void drain(Controller& channel) {
  while (!channel.idle()) channel.advance(channel.next());
}
// Offers before every edge until it is taken.
inline void saturate(Controller& channel, Offer& offer) {
  offer.held_by = Cause::queue;
  for (offer.asked = channel.now(); !channel.offer(offer, offer.asked); offer.asked = channel.now()) {
    channel.advance(channel.next());
  }
}

[[nodiscard]] MemoryResult empty_result(const Part& part, std::uint64_t requests);
// Adds what `times` channels like this one did until result.ticks.
void add_channel(MemoryResult& result, const Controller& channel, std::uint64_t times);

}  // namespace kvtraffic::hardware::hbm
