// Where tensors lie that need not be in device memory: lookup tables, experts and whole layers that spill to the host.
// Leaves out how many bytes that is (memory_demand.hpp) and what reading them costs (sim/run/tally.hpp).
#pragma once

#include <cstdint>

#include "sim/graph/operation.hpp"

namespace kvtraffic::sim {

struct Placement {
  Place tables = Place::host;    // lookup tables
  double host_experts = 0;       // share of each layer's routed experts that lie in host memory, 0 to 1
  std::int64_t host_layers = 0;  // the last so many main layers lie there whole

  // Of `routed` experts, those in host memory: whole ones, rounded down.
  [[nodiscard]] std::int64_t hosted(std::int64_t routed) const;
};

}  // namespace kvtraffic::sim
