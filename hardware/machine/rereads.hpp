// What the query tiles of a prefill kernel read again from DRAM, because they ask for more than L2 holds from one tile
// to the next. Leaves out that an L2 a little too small holds a part.
#pragma once

#include "hardware/machine/access_table.hpp"
#include "sim/graph/step_graph.hpp"
#include "sim/plan/kernel_plan.hpp"
#include "sim/run/tally.hpp"

namespace kvtraffic::hardware {

// A kernel runs its tiles in waves of one for each SM: sequence after sequence and, where each head has keys of its
// own, head after head. If the distinct bytes of such a pass fit into the usable L2, all further reads of them hit. If
// not:
// - What all tiles see (dense attention, index scans) is read once by each wave: requested bytes / tiles of a wave.
// - Selections differ from query to query: each wave reads all distinct bytes of its pass, if it asks for as many. Of
//   queries that resemble one another, each but the first of a wave asks only for what the one before did not.
// - Windows slide on with the queries and stay in L2 whatever the length.
// Never more than was requested.
class Rereads {
 public:
  // `alike`: the share of its picks that a query has in common with the one before it (sim::Selection::queries).
  Rereads(std::int64_t sms, sim::Bytes usable, double alike = 0) : sms_(sms), usable_(usable.count()), alike_(alike) {}
  // Fills AccessCost::again of `table`.
  void fill(const sim::StepGraph& graph, const sim::Tally& tally, const sim::KernelPlan& plan,
            AccessTable& table) const;

 private:
  [[nodiscard]] std::int64_t again(const AccessCost& cost, const sim::Access& access, const sim::Operation& operation,
                                   const sim::Tally& tally, const sim::KernelPlan& plan) const;

  std::int64_t sms_;
  std::int64_t usable_;
  double alike_;
};

}  // namespace kvtraffic::hardware
