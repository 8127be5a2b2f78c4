// `--set` laid on a scenario, last one wins, also over a sweep of the same path.
// Leaves out checking the values: a plan checks them like written ones.
#pragma once

#include <string>
#include <vector>

#include "sim/config/node.hpp"

namespace kvtraffic::scenarios {

// The paths that `sweep:` names, tied ones included.
[[nodiscard]] std::vector<std::string> swept_paths(const sim::Node& scenario);

// Applies "path=value" texts in order. A setting of a swept path replaces the axis; one inside a swept path
// (model.attention.top_k where `model` is swept) holds for all its values; "path=null" takes a key away;
// "sweep.PATH=..." and "expect.PATH=..." set whole axes and limits. Faults go to `diagnostics`.
void apply_settings(sim::Node& scenario, const std::vector<std::string>& settings, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
