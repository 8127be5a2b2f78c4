// Building the channels of a part and summing what they did. Leaves out feeds.
#include "hardware/hbm/channels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

namespace kvtraffic::hardware::hbm {

AddressMap map_of(const Part& part) {
  const std::optional<MapSpec> spec = find_map(part.map);
  if (!spec) {
    throw std::invalid_argument(
        fmt::format("no address map is named '{}'; there are {}", part.map, fmt::join(map_names(), ", ")));
  }
  return {*spec, part.geometry};
}

Channels::Channels(const Part& part, const std::function<Listener*(int)>& listen) : map_(map_of(part)), plan_(part) {
  controllers_.reserve(static_cast<std::size_t>(part.geometry.all_channels()));
  for (int channel = 0; channel < part.geometry.all_channels(); ++channel) {
    controllers_.emplace_back(plan_, listen ? listen(channel) : nullptr);
  }
}

MemoryResult empty_result(const Part& part, std::uint64_t requests) {
  MemoryResult result;
  result.requests = requests;
  result.bytes = sim::Bytes::of(part.geometry.transaction_bytes) * static_cast<std::int64_t>(requests);
  result.data_buses = part.geometry.all_channels() * part.geometry.pseudo_channels;
  result.clock = part.clock_rate();
  result.peak = part.peak();
  return result;
}

void add_channel(MemoryResult& result, const Controller& channel, std::uint64_t times) {
  result.counters.add(channel.finished(result.ticks), times);
  result.latencies.add(channel.latencies(), times);
}

}  // namespace kvtraffic::hardware::hbm
