// Model, cache format and kernel plan to a step graph and the memory it needs: what a workload wants, with no notion of
// a machine.
#pragma once

#include "models/spec/format.hpp"
#include "models/spec/model.hpp"
#include "sim/graph/step_graph.hpp"
#include "sim/plan/deployment.hpp"
#include "sim/plan/kernel_plan.hpp"
#include "sim/plan/memory_demand.hpp"

namespace kvtraffic::models {

struct Lowered {
  sim::StepGraph graph;  // finished
  sim::MemoryDemand demand;
  ParameterCount parameters;
};

// One decode step of `model`. Weights are inventoried once here: parameters, stored bytes and reads come from the same
// list. The deployment decides which operations exist (messages between ranks) and where the Engram tables lie; shares
// come with the tally.
[[nodiscard]] Lowered lower_decode(const Model& model, const CacheFormat& format, const sim::KernelPlan& plan,
                                   const sim::Deployment& deployment);

}  // namespace kvtraffic::models
