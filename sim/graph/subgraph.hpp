// A part of a step as a graph of its own: one layer, or one operation wherever it runs.
// Leaves out storage: what a model keeps does not depend on what is looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/graph/step_graph.hpp"

namespace kvtraffic::sim {

struct PartOfStep {
  std::optional<std::int32_t> layer;
  std::string operation;         // empty: all
  Module module = Module::none;  // none: all
  [[nodiscard]] bool is_whole() const { return !layer && operation.empty() && module == Module::none; }
  [[nodiscard]] bool holds(const StepGraph& graph, const Vertex& vertex) const;
};

// The vertices that `part` holds, with the edges between them. Without a layer each also waits for the one before it in
// the step's order, because edges through what was cut out are gone; within a layer nothing is added.
[[nodiscard]] StepGraph subgraph(const StepGraph& graph, const PartOfStep& part);

}  // namespace kvtraffic::sim
