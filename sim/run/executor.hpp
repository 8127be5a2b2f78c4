// Graph, tally and a machine's answer to a PointResult: sums bytes per kind, layer and operation and explains the
// differences.
#pragma once

#include "sim/run/machine.hpp"
#include "sim/run/result.hpp"

namespace kvtraffic::sim {

struct Detail {
  bool layers = false;
  bool operations = false;
};

// Traffic at the logical level alone: what an infeasible point still carries.
[[nodiscard]] Traffic logical_traffic(const StepGraph& graph, const Tally& tally);

// Floating-point operations of the step by precision.
[[nodiscard]] std::array<double, precision_count> logical_flops(const StepGraph& graph, const Tally& tally);

// Fills traffic, amplification, time, throughput, layers and operations of `result`. `roofline` is the lower bound's
// outcome.
void tell_outcome(const StepGraph& graph, const Tally& tally, const Outcome& outcome, const Machine& machine,
                  Duration roofline, Detail detail, PointResult& result);

}  // namespace kvtraffic::sim
