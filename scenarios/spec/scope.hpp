// What part of a step a scenario looks at: all of it, a layer, an operation, or a kernel with no model around it.
// Leaves out building what it names (scenarios/run/setup.hpp).
#pragma once

#include <optional>

#include "models/lower/bare_kernel.hpp"
#include "sim/config/table.hpp"
#include "sim/graph/subgraph.hpp"

namespace kvtraffic::scenarios {

struct Scope {
  sim::PartOfStep part;
  std::optional<models::BareKernel> kernel;  // `part` is then whole
  sim::Mark mark;
};

// True for {kernel: ...}, right or wrong: such a scenario needs neither model nor batch nor context.
[[nodiscard]] bool is_kernel_scope(const sim::Node& scope);

// Reads `workload.scope`; null means the whole step. Faults go to `diagnostics`.
[[nodiscard]] Scope read_scope(const sim::Node& scope, const sim::Mark& mark, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
