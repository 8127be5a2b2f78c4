// Into how many tiles an engine cuts an operation at one point: the pure rule, for one device with a number of SMs.
// Leaves out what a tile costs and when it runs (hardware/machine) and what a library's rules are (partition.hpp).
#pragma once

#include <cstdint>

#include "sim/graph/step_graph.hpp"
#include "sim/plan/kernel_class.hpp"
#include "sim/plan/kernel_plan.hpp"
#include "sim/run/tally.hpp"

namespace kvtraffic::sim {

// Tiles of `operation` on the fullest device, at least one. Work is split along its inner dimension (depth, keys) only
// as far as otherwise idle SMs can take the parts at once.
[[nodiscard]] std::int64_t tiles_of(const KernelPlan& plan, const StepGraph& graph, std::uint32_t operation,
                                    const Tally& tally, std::int64_t sms);

// How a kernel is cut and what its slowest thread block does.
struct Cut {
  std::int64_t tiles = 1;
  std::int64_t blocks = 1;        // of a tile; where parts are unequal, of the slowest SM
  std::int64_t pieces = 0;        // requests, or parts of them, that the slowest SM works on; 0: not counted
  std::int64_t splits = 1;        // most parts of one request
  std::int64_t scores = 0;        // top-k: of a row; 0: not counted, or so few that all are kept
  bool prefill = false;           // of more than one position of a sequence
  double share = 0;               // of the whole arithmetic that a tile does, padding included
  std::int64_t row_tiles = 1;     // GEMM: tiles that load the same columns of weights
  std::int64_t column_tiles = 1;  // and the same rows of activations
  // By a library's rule alone:
  std::int64_t steps = 0;   // of 128 values of depth
  std::int64_t inputs = 0;  // activations, in values
  double outside = 0;       // share of the rows of its tiles that lie outside of the matrix
  double again = 0;         // tiles that load a panel of weights at the same time as another one, per panel; up to 1
};

// The same as a library does it whose rules are known; without one, as tiles_of says.
[[nodiscard]] Cut cut_of(const KernelPlan& plan, const KernelClass& its_class, const StepGraph& graph,
                         std::uint32_t operation, const Tally& tally, std::int64_t sms);

// Tiles beside one another that share out the heads of an attention operation on a device; 1 for other operations.
[[nodiscard]] std::int64_t head_tiles_of(const KernelPlan& plan, const Operation& operation, const Tally& tally);

}  // namespace kvtraffic::sim
