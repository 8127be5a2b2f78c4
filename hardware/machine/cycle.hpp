// The step with DRAM at command level: kernels, SMs, L2 and links as in flow, but DRAM serves all that is asked of it
// at a time as fast as its commands allow, with row activations, turnarounds and refreshes. Bytes are exact and equal
// to flow's. Time comes from windows of DRAM commands with a stated error (shared_dram.hpp) or, exact, from every
// command of every channel (dram_channels.hpp). Leaves out sets and slices of L2.
#pragma once

#include <cstdint>
#include <memory>

#include "hardware/hbm/part.hpp"
#include "hardware/machine/ablation.hpp"
#include "hardware/machine/dram_windows.hpp"
#include "hardware/spec/hardware.hpp"
#include "sim/plan/kernel_plan.hpp"
#include "sim/plan/locality.hpp"
#include "sim/run/machine.hpp"

namespace kvtraffic::hardware {

class CycleMachine : public sim::Machine {
 public:
  CycleMachine(const Hardware& hardware, const hbm::Part& part, const sim::KernelPlan& plan,
               const Mechanisms& mechanisms = {}, const sim::Locality& locality = {}, bool exact = false,
               std::shared_ptr<DramWindows> windows = nullptr);
  ~CycleMachine() override;
  void execute(const sim::StepGraph& graph, const sim::Tally& tally, sim::Outcome& outcome) override;
  [[nodiscard]] sim::Frequency clock() const override;
  [[nodiscard]] std::string_view saving_reason() const override { return "held in L2"; }
  void set_order_seed(std::uint64_t seed);  // for tests: any order within an instant, from the next point on

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kvtraffic::hardware
