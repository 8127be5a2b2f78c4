// Model, cache format and kernel plan to a step graph and the memory it needs: what a workload wants, with no notion of
// a machine.
#pragma once

#include "models/lower/spans.hpp"
#include "models/spec/format.hpp"
#include "models/spec/model.hpp"
#include "sim/graph/step_graph.hpp"
#include "sim/plan/deployment.hpp"
#include "sim/plan/kernel_plan.hpp"
#include "sim/plan/memory_demand.hpp"
#include "sim/plan/placement.hpp"

namespace kvtraffic::models {

struct Lowered {
  sim::StepGraph graph;  // finished
  sim::MemoryDemand demand;
  ParameterCount parameters;
};

// One decode step of `model`. Weights are inventoried once here: parameters, stored bytes and reads come from the same
// list. The deployment decides which operations exist (messages between ranks), the placement which memory weights and
// tables are read from; shares come with the tally.
[[nodiscard]] Lowered lower_decode(const Model& model, const CacheFormat& format, const sim::KernelPlan& plan,
                                   const sim::Deployment& deployment, const sim::Placement& placement = {});

// A prefill of `model`, or one chunk of it: points say which. The same inventory; attention by tiles of queries,
// compressor state once a chunk, and spans that say which positions run what.
[[nodiscard]] Lowered lower_prefill(const Model& model, const CacheFormat& format, const sim::KernelPlan& plan,
                                    const sim::Deployment& deployment, const PrefillForm& form,
                                    const sim::Placement& placement = {});

// Longest prompt whose every position a DSA selection covers, so that a prefill runs it as dense attention; 0 without
// DSA.
[[nodiscard]] std::int64_t longest_dense_prefill(const Model& model);
// Positions whose window entries a cached prompt must compute again: an encoder's are not kept. 0 without an encoder
// side.
[[nodiscard]] std::int64_t most_replayed(const Model& model);

}  // namespace kvtraffic::models
