// Into how many tiles an engine cuts an operation at one point: the pure rule, for one device with a number of SMs.
// Leaves out what a tile costs and when it runs (hardware/machine), and libraries that hand out parts of unequal size.
#pragma once

#include <cstdint>

#include "sim/graph/step_graph.hpp"
#include "sim/plan/kernel_plan.hpp"
#include "sim/run/tally.hpp"

namespace kvtraffic::sim {

// Tiles of `operation` on the fullest device, at least one. Work is split along its inner dimension (depth, keys) only
// as far as otherwise idle SMs can take the parts at once.
[[nodiscard]] std::int64_t tiles_of(const KernelPlan& plan, const StepGraph& graph, std::uint32_t operation,
                                    const Tally& tally, std::int64_t sms);

// Tiles beside one another that share out the heads of an attention operation on a device; 1 for other operations.
[[nodiscard]] std::int64_t head_tiles_of(const KernelPlan& plan, const Operation& operation, const Tally& tally);

}  // namespace kvtraffic::sim
