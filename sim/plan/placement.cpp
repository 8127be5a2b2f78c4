// A share of experts as a number of experts.
// Leaves out which ones: with even routing all are alike, and drawn ones know (routing.hpp).
#include "sim/plan/placement.hpp"

#include <algorithm>
#include <cmath>

namespace kvtraffic::sim {

std::int64_t Placement::hosted(std::int64_t routed) const {
  // 29 % of 100 is 28.999... in binary: what only rounding keeps from a whole expert is one.
  const double experts = std::floor(static_cast<double>(routed) * host_experts + 1e-9);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(experts), 0, routed);
}

}  // namespace kvtraffic::sim
